// JSON for people to read: two spaces deep, a line end after the last line.
#pragma once

#include <rapidjson/prettywriter.h>

#include "scene/json_text.hpp"

namespace cairn {

class JsonOut : public JsonText<rapidjson::PrettyWriter<rapidjson::StringBuffer>> {
 public:
  JsonOut() { writer_.SetIndent(' ', 2); }
  std::string text() const { return JsonText::text() + "\n"; }
};

}  // namespace cairn
