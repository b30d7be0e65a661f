// Checks of what users hand in. All of them throw std::invalid_argument that names the field.
#pragma once

#include <string>
#include <string_view>

#include "cairn/settings.hpp"

namespace cairn {

[[noreturn]] void refuse(const std::string& field, const std::string& message);
void requireFinite(const std::string& field, const Vec3& value);
void requireFinite(const std::string& field, double value);
void requireRange(const std::string& field, double value, double low, double high, std::string_view unit);
Vec3 checkedAxis(const std::string& field, const Vec3& axis);  // of unit length
Quat checkedRotation(const std::string& field, const Quat& q);  // of unit length
void checkMaterial(const std::string& field, const Material& material);
void checkSettings(const WorldSettings& settings);
std::string text(double value);  // as people write it

}  // namespace cairn
