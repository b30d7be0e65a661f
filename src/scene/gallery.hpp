// The gallery: scenes that the program carries with it, written as files or as C++ builders with parameters.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scene/scene_file.hpp"
#include "scene/scene_model.hpp"

namespace cairn {

using ParameterValues = std::map<std::string, double, std::less<>>;

// A scene made by code. `build` gets a value for every parameter, each within its range.
struct SceneBuilder {
  std::string name;
  std::string title;
  std::string description;
  std::vector<SceneParameter> parameters;
  std::function<SceneModel(const ParameterValues&)> build;
};

std::vector<std::string_view> galleryNames();  // in alphabetical order
bool isGalleryName(std::string_view name);
// The text of a gallery scene that is a file; empty if there is none of that name.
std::string_view galleryText(std::string_view name);
const std::vector<SceneBuilder>& galleryBuilders();

// Whether the argument means a file: it has a slash, ends in .json, or exists and is no gallery name.
bool looksLikeFile(const std::string& nameOrPath);
// A gallery name or a path. Throws SceneError, with a suggestion for a misspelt name.
SceneModel openScene(const std::string& nameOrPath, const std::vector<Override>& overrides = {});

}  // namespace cairn
