// Reference values that no engine computed, from tests/data, and scenes of the gallery that run until something happens.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <sstream>

#include "scene/gallery.hpp"
#include "scene/scene_run.hpp"

namespace cairn {

inline rapidjson::Document truth(const std::string& name) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/data/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  if (document.HasParseError()) throw std::runtime_error(name + ": not JSON");
  return document;
}

inline Vec3 vectorOf(const rapidjson::Value& value) {
  return {value[0].GetDouble(), value[1].GetDouble(), value[2].GetDouble()};
}

inline Override with(const std::string& key, double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return {key, text.str()};
}

inline BodyState stateOf(const SceneRun& run, const std::string& body) {
  return *run.world().state(*run.world().findBody(body));
}

}  // namespace cairn
