#include "scene/synonyms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cairn {
namespace {

// A line counts only where its field is allowed, so the same word may mean several things. The first line that fits wins.
constexpr Synonym kFields[] = {
    {"half_extents", "size", "full edge lengths, twice the half extents"},
    {"halfextents", "size", "full edge lengths, twice the half extents"},
    {"half_size", "size", "full edge lengths, twice the half size"},
    {"dimensions", "size", ""},
    {"extents", "size", "full edge lengths"},
    {"half_height", "height", "the whole height, twice the half height"},
    {"length", "height", ""},
    {"diameter", "radius", "half the diameter"},
    {"vertices", "points", ""},
    {"type", "kind", "\"static\", \"kinematic\" or \"dynamic\""},
    {"body_type", "kind", "\"static\", \"kinematic\" or \"dynamic\""},
    {"motion_type", "kind", "\"static\", \"kinematic\" or \"dynamic\""},
    {"static", "kind", "\"kind\": \"static\""},
    {"fixed", "kind", "\"kind\": \"static\""},
    {"dynamic", "kind", "\"kind\": \"dynamic\""},
    {"pos", "position", ""},
    {"xyz", "position", ""},
    {"translation", "position", ""},
    {"location", "position", ""},
    {"quat", "rotation", "a quaternion [w, x, y, z], or an axis with an angle, or euler_deg"},
    {"quaternion", "rotation", "a quaternion [w, x, y, z], or an axis with an angle, or euler_deg"},
    {"orientation", "rotation", "a quaternion [w, x, y, z], or an axis with an angle, or euler_deg"},
    {"rpy", "rotation", "\"rotation\": {\"euler_deg\": [roll, pitch, yaw]}"},
    {"euler", "rotation", "\"rotation\": {\"euler_deg\": [roll, pitch, yaw]}"},
    {"euler_deg", "rotation", "\"rotation\": {\"euler_deg\": [roll, pitch, yaw]}"},
    {"vel", "velocity", ""},
    {"linear_velocity", "velocity", ""},
    {"angvel", "angular_velocity", "rad/s"},
    {"omega", "angular_velocity", "rad/s"},
    {"spin", "angular_velocity", "rad/s"},
    {"geometry", "shape", ""},
    {"geom", "shape", ""},
    {"collider", "shape", ""},
    {"colliders", "shapes", ""},
    {"collision", "shape", ""},
    {"inertia", "mass_properties", "\"mass_properties\": {\"mass\": ..., \"inertia\": [Ixx, Iyy, Izz]}"},
    {"inertial", "mass_properties", "\"mass_properties\": {\"mass\": ..., \"inertia\": [Ixx, Iyy, Izz]}"},
    {"mass", "density", "a shape has a density; a mass is given to the whole body"},
    {"friction", "material", "\"material\": {\"friction\": ...}, in the shape"},
    {"restitution", "material", "\"material\": {\"restitution\": ...}, in the shape"},
    {"friction", "shape", "it belongs to the shape: \"material\": {\"friction\": ...}"},
    {"restitution", "shape", "it belongs to the shape: \"material\": {\"restitution\": ...}"},
    {"material", "shape", "it belongs to the shape"},
    {"density", "shape", "it belongs to the shape"},
    {"mu", "friction", ""},
    {"bounce", "restitution", ""},
    {"bounciness", "restitution", ""},
    {"elasticity", "restitution", ""},
    {"damping", "linear_damping", "and angular_damping for the rotation"},
    {"body1", "a", ""},
    {"body2", "b", ""},
    {"body_a", "a", ""},
    {"body_b", "b", ""},
    {"bodya", "a", ""},
    {"bodyb", "b", ""},
    {"parent", "a", ""},
    {"child", "b", ""},
    {"pivot", "anchor", "in the world at the start; or anchor_a and anchor_b in the bodies' frames"},
    {"origin", "anchor", "in the world at the start; or anchor_a and anchor_b in the bodies' frames"},
    {"point", "anchor", "in the world at the start; or anchor_a and anchor_b in the bodies' frames"},
    {"collide_connected", "bodies_collide", ""},
    {"timestep", "dt", "s"},
    {"time_step", "dt", "s"},
    {"step", "dt", "s"},
    {"duration", "seconds", "s"},
    {"end_time", "seconds", "s"},
    {"timestep", "settings", "\"settings\": {\"dt\": ...}"},
    {"time_step", "settings", "\"settings\": {\"dt\": ...}"},
    {"dt", "settings", "\"settings\": {\"dt\": ...}"},
    {"gravity", "settings", "\"settings\": {\"gravity\": [0, 0, -9.81]}"},
    {"seconds", "settings", "\"settings\": {\"seconds\": ...}"},
    {"duration", "settings", "\"settings\": {\"seconds\": ...}"},
    {"stepper", "settings", "\"settings\": {\"stepper\": ...}"},
    {"solver", "settings", "\"settings\": {\"solver\": ...}"},
    {"options", "settings", ""},
    {"option", "settings", ""},
    {"world", "settings", ""},
    {"objects", "bodies", ""},
    {"links", "bodies", ""},
    {"rigid_bodies", "bodies", ""},
    {"constraints", "joints", ""},
    {"version", "cairn", "\"cairn\": 1"},
    {"count", "pattern", "\"pattern\": {\"type\": \"row\", \"count\": ..., \"step\": [x, y, z]}"},
    {"repeat", "pattern", "\"pattern\": {\"type\": \"row\", \"count\": ..., \"step\": [x, y, z]}"},
};

constexpr Synonym kTypes[] = {
    {"cube", "box", ""},
    {"cuboid", "box", ""},
    {"ball", "sphere", ""},
    {"pill", "capsule", ""},
    {"convex", "hull", ""},
    {"convex_hull", "hull", ""},
    {"polyhedron", "hull", ""},
    {"ground", "plane", ""},
    {"floor", "plane", ""},
    {"halfspace", "plane", ""},
    {"half_space", "plane", ""},
    {"trimesh", "mesh", ""},
    {"triangle_mesh", "mesh", ""},
    {"heightfield", "height_field", ""},
    {"heightmap", "height_field", ""},
    {"hfield", "height_field", ""},
    {"terrain", "height_field", ""},
    {"sdf", "distance_field", ""},
    {"revolute", "hinge", ""},
    {"continuous", "hinge", ""},
    {"prismatic", "slider", ""},
    {"slide", "slider", ""},
    {"spherical", "ball", ""},
    {"point", "ball", ""},
    {"point_to_point", "ball", ""},
    {"socket", "ball", ""},
    {"ball_socket", "ball", ""},
    {"weld", "fixed", ""},
    {"rigid", "fixed", ""},
    {"lock", "fixed", ""},
    {"rod", "distance", ""},
    {"rope", "distance", ""},
    {"spring", "distance", "with a \"spring\" of its own"},
    {"hooke", "universal", ""},
    {"cardan", "universal", ""},
    {"line", "row", ""},
    {"circle", "ring", ""},
    {"fixed", "static", ""},
    {"immovable", "static", ""},
    {"animated", "kinematic", ""},
    {"movable", "dynamic", ""},
    {"rigid", "dynamic", ""},
    {"free", "dynamic", ""},
};

template <std::size_t count>
const Synonym* lookUp(const Synonym (&table)[count], std::string_view word, const std::vector<std::string_view>& allowed) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  std::replace(lower.begin(), lower.end(), '-', '_');
  for (const Synonym& synonym : table) {
    if (synonym.word != lower) continue;
    if (synonym.ours.empty() || std::find(allowed.begin(), allowed.end(), synonym.ours) != allowed.end()) return &synonym;
  }
  return nullptr;
}

}  // namespace

const Synonym* fieldSynonym(std::string_view word, const std::vector<std::string_view>& allowed) {
  return lookUp(kFields, word, allowed);
}

const Synonym* typeSynonym(std::string_view word, const std::vector<std::string_view>& allowed) {
  return lookUp(kTypes, word, allowed);
}

std::string explain(const Synonym& synonym) {
  if (synonym.ours.empty()) return fmt::format("; {}", synonym.note);
  if (synonym.note.empty()) return fmt::format("; here it is \"{}\"", synonym.ours);
  return fmt::format("; here it is \"{}\": {}", synonym.ours, synonym.note);
}

}  // namespace cairn
