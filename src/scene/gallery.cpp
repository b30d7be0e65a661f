#include "scene/gallery.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "scene/embedded_scenes.hpp"
#include "scene/suggest.hpp"
#include "scenes/builders.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;

// Names of embedded files begin with this, so that messages do not look like files of the user's.
constexpr std::string_view kGalleryPrefix = "gallery/";

class GallerySource : public SceneSource {
 public:
  std::string read(const std::string& path) const override {
    for (const EmbeddedScene& scene : embeddedScenes()) {
      if (path == fmt::format("{}{}", kGalleryPrefix, scene.path)) return std::string(scene.text);
    }
    throw SceneError({problemOfFile(path, "no such file in the gallery")});
  }
  std::string resolve(const std::string& from, const std::string& included) const override {
    return (fs::path(from).parent_path() / included).lexically_normal().string();
  }
};

// "wall" of "wall.json"; empty for parts in folders, which are no scenes by themselves.
std::string_view sceneName(std::string_view path) {
  constexpr std::string_view ending = ".json";
  if (path.find('/') != std::string_view::npos || !path.ends_with(ending)) return {};
  return path.substr(0, path.size() - ending.size());
}

const SceneBuilder* findBuilder(std::string_view name) {
  for (const SceneBuilder& builder : galleryBuilders()) {
    if (builder.name == name) return &builder;
  }
  return nullptr;
}

SceneModel buildScene(const SceneBuilder& builder, const std::vector<Override>& overrides) {
  std::vector<SceneParameter> parameters = builder.parameters;
  ProblemList problems;
  for (const Override& given : overrides) {
    if (isSettingKey(given.key)) continue;
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const SceneParameter& parameter) { return parameter.name == given.key; });
    if (known == parameters.end()) {
      problems.add(unknownOverride(given, parameters));
    } else {
      known->value = readParameter(given, *known, problems);
    }
  }
  problems.throwIfAny();
  ParameterValues values;
  for (const SceneParameter& parameter : parameters) values[parameter.name] = parameter.value;
  SceneModel model = builder.build(values);
  model.name = builder.name;
  model.title = builder.title;
  model.description = builder.description;
  model.parameters = std::move(parameters);
  applySettingOverrides(overrides, model, problems);
  problems.throwIfAny();
  return model;
}

}  // namespace

const std::vector<SceneBuilder>& galleryBuilders() {
  static const std::vector<SceneBuilder> builders{
      ballAndChainBuilder(), carBuilder(),         cardHouseBuilder(),  disksBuilder(),
      engravedBuilder(),     fallingRoofBuilder(), inclineBuilder(),    newtonCradleBuilder(),
      overhangBuilder(),     pileBuilder(),        rattlebackBuilder(), siloBuilder(),
      slideToRollBuilder(),  spheresBuilder(),     stoneArchBuilder(),  towerBuilder(),
      bridgeBuilder(),       ragdollsBuilder(),    vehicleBuilder()};
  return builders;
}

std::vector<std::string_view> galleryNames() {
  std::vector<std::string_view> names;
  for (const SceneBuilder& builder : galleryBuilders()) names.push_back(builder.name);
  for (const EmbeddedScene& scene : embeddedScenes()) {
    if (const std::string_view name = sceneName(scene.path); !name.empty()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool isGalleryName(std::string_view name) {
  const auto names = galleryNames();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view galleryText(std::string_view name) {
  for (const EmbeddedScene& scene : embeddedScenes()) {
    if (sceneName(scene.path) == name) return scene.text;
  }
  return {};
}

bool looksLikeFile(const std::string& nameOrPath) {
  if (nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".json")) return true;
  std::error_code error;
  return !isGalleryName(nameOrPath) && fs::exists(nameOrPath, error);
}

SceneModel openScene(const std::string& nameOrPath, const std::vector<Override>& overrides) {
  if (looksLikeFile(nameOrPath)) return loadSceneFile(nameOrPath, overrides);
  if (const SceneBuilder* builder = findBuilder(nameOrPath)) return buildScene(*builder, overrides);
  if (isGalleryName(nameOrPath)) {
    return loadScene(GallerySource{}, fmt::format("{}{}.json", kGalleryPrefix, nameOrPath), overrides);
  }
  const auto names = galleryNames();
  throw SceneError({problemOfFile(
      nameOrPath,
      fmt::format("no scene of that name{}{} the gallery has: {}; or give the path of a scene file",
                  suggestion(nameOrPath, names), nearestName(nameOrPath, names).empty() ? ";" : "", listNames(names)))});
}

}  // namespace cairn
