// The gallery's scene files as text inside the program; the build writes the table from scenes/.
#pragma once

#include <string_view>
#include <vector>

namespace cairn {

struct EmbeddedScene {
  std::string_view path;  // below scenes/, such as "wall.json"
  std::string_view text;
};

const std::vector<EmbeddedScene>& embeddedScenes();

}  // namespace cairn
