#include "world/checks.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <type_traits>

#include "cairn/options.hpp"
#include "mechanics/solve_islands.hpp"

namespace cairn {

namespace {

void checkOption(const std::string& field, const Option& option, const WorldSettings& settings) {
  std::visit(
      [&](const auto* found) {
        using Value = std::remove_cvref_t<decltype(*found)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          std::string names;
          for (const std::string_view name : option.choices) {
            if (*found == name) return;
            names += (names.empty() ? "" : ", ") + std::string(name);
          }
          if (!names.empty()) refuse(field, "found \"" + *found + "\"; allowed: " + names);
        } else if constexpr (!std::is_same_v<Value, bool>) {
          requireRange(field, *found, option.least, option.most, option.unit);
        }
      },
      option.placeIn(settings));
}

}  // namespace

void refuse(const std::string& field, const std::string& message) { throw std::invalid_argument(field + ": " + message); }

void requireFinite(const std::string& field, const Vec3& value) {
  if (!value.allFinite()) refuse(field, "must be finite");
}
void requireFinite(const std::string& field, double value) {
  if (!std::isfinite(value)) refuse(field, "must be finite");
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

void requireRange(const std::string& field, double value, double low, double high, std::string_view unit) {
  if (!(value >= low && value <= high)) {
    refuse(field, "must be from " + text(low) + " to " + text(high) + " " + std::string(unit) + ", got " + text(value));
  }
}

Vec3 checkedAxis(const std::string& field, const Vec3& axis) {
  requireFinite(field, axis);
  if (axis.norm() < 1e-12) refuse(field, "must not be zero");
  return axis.normalized();
}

Quat checkedRotation(const std::string& field, const Quat& q) {
  const double norm = q.norm();
  if (!std::isfinite(norm) || norm < 1e-6) refuse(field, "must be a quaternion that is finite and not zero");
  return q.normalized();
}

void checkMaterial(const std::string& field, const Material& material) {
  requireRange(field + ".friction", material.friction, 0.0, 1e3, "");
  requireRange(field + ".restitution", material.restitution, 0.0, 1.0, "");
  if (material.staticFriction) requireRange(field + ".staticFriction", *material.staticFriction, material.friction, 1e3, "");
  if (material.crossFriction) {
    requireRange(field + ".crossFriction", *material.crossFriction, 0.0, 1e3, "");
    checkedAxis(field + ".frictionAxis", material.frictionAxis);
  }
  requireRange(field + ".patchRadius", material.patchRadius, 0.0, 1e3, "m");
  requireRange(field + ".rollingResistance", material.rollingResistance, 0.0, 1e3, "m");
  requireRange(field + ".rollingForce", material.rollingForce, 0.0, 1e3, "");
  requireRange(field + ".spinningResistance", material.spinningResistance, 0.0, 1e3, "m");
  requireRange(field + ".tangentialRestitution", material.tangentialRestitution, -1.0, 1.0, "");
  if (material.stiffness.has_value() != material.damping.has_value()) {
    refuse(field, "stiffness and damping go together: give both or neither");
  }
  if (material.stiffness) requireRange(field + ".stiffness", *material.stiffness, 1e-3, 1e15, "N/m");
  if (material.damping) requireRange(field + ".damping", *material.damping, 0.0, 1e15, "N s/m");
}

void checkSettings(const WorldSettings& settings) {
  requireFinite("gravity", settings.gravity);
  requireRange("gravity", settings.gravity.norm(), 0.0, 1e4, "m/s^2");
  for (const OptionGroup& group : optionGroups())
    for (const Option& option : group.options)
      checkOption((group.name.empty() ? "" : std::string(group.name) + ".") + option.member(), option, settings);
  checkSolver(settings);
  for (std::size_t i = 0; i < settings.pairs.size(); ++i) {
    const std::string field = "pairs[" + std::to_string(i) + "]";
    if (settings.pairs[i].a == 0 || settings.pairs[i].b == 0) refuse(field, "kinds of materials count from 1");
    checkMaterial(field + ".material", settings.pairs[i].material);
  }
}

}  // namespace cairn
