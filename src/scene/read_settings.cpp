#include "scene/option_fields.hpp"
#include "scene/scene_reader.hpp"

namespace cairn {
namespace {

void set(const JsonValue& owner, std::string_view key, double& target) {
  if (const JsonValue* value = owner.find(key)) target = value->number;
}
}  // namespace

void readSettings(const JsonValue& value, SceneModel& model) {
  WorldSettings& settings = model.settings;
  if (const JsonValue* gravity = value.find("gravity")) settings.gravity = readVector(*gravity);
  set(value, "dt", model.dt);
  set(value, "seconds", model.seconds);
  readOptions(value, settings);
}

}  // namespace cairn
