#include "picture/palette.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn {
namespace {

constexpr unsigned kStaticColour = 0xB4B6B8;
// Earths, greens and blues of like strength, ordered so that neighbours differ: families that collide move on to the next.
constexpr std::array<unsigned, Palette::kColours> kPalette = {0xBE7860, 0x7396B8, 0xD3AD62, 0x74A896, 0xBC8290,
                                                              0x95AA6A, 0x918FBA, 0xCE9A76, 0x6A98A3, 0xBFAB8C};
constexpr std::uint64_t kSeed = 8993;       // of the names' hash: one that makes bricks brick red
constexpr double kBrightnessJitter = 0.13;  // of the colour, either way
constexpr double kWarmthJitter = 0.05;

// FNV-1a with a final mix: unlike std::hash, the same on every machine.
std::uint64_t hashText(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ kSeed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 32);
}

// In [-1, 1).
double signedUnit(std::uint64_t bits) { return static_cast<double>(bits & 0xffff) / 32768.0 - 1.0; }

float srgbFromLinear(float value) {
  return value <= 0.0031308f ? 12.92f * value : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f;
}

}  // namespace

Vec3f Palette::colourOf(std::string_view name, const Geometry& firstShape) {
  std::string family(nameFamily(name));
  // Names that the world made up say nothing; the shape does.
  if (family == "body" || family.empty()) family.append("#").append(std::to_string(firstShape.index()));
  const auto [entry, isNew] = entries_.try_emplace(family, hashText(family) % kPalette.size());
  if (isNew) {
    for (std::size_t tries = 0; taken_[entry->second] && tries < kPalette.size(); ++tries) {
      entry->second = (entry->second + 1) % kPalette.size();
    }
    taken_[entry->second] = true;
  }
  const std::uint64_t hash = hashText(name);
  const double brightness = 1.0 + kBrightnessJitter * signedUnit(hash);
  const double warmth = kWarmthJitter * signedUnit(hash >> 16);
  const Eigen::Array3f tint(static_cast<float>(brightness * (1.0 + warmth)), static_cast<float>(brightness),
                            static_cast<float>(brightness * (1.0 - warmth)));
  return (linearFromHex(kPalette[entry->second]).array() * tint).matrix().cwiseMin(1.0f);
}

Vec3f staticColour() { return linearFromHex(kStaticColour); }

std::string_view nameFamily(std::string_view name) {
  std::string_view family = name.substr(0, name.find_first_of(".0123456789"));
  if (family.empty()) {  // "8 kg" and "16 kg" are siblings too
    const std::size_t start = name.find_first_not_of(".0123456789");
    family = start == std::string_view::npos ? std::string_view{} : name.substr(start);
  }
  while (!family.empty() && (family.back() == ' ' || family.back() == '_' || family.back() == '-')) family.remove_suffix(1);
  return family;
}

float linearFromSrgb(float value) { return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f); }

Vec3f linearFromHex(unsigned hex) {
  const auto channel = [&](int shift) { return linearFromSrgb(static_cast<float>((hex >> shift) & 0xff) / 255.0f); };
  return {channel(16), channel(8), channel(0)};
}

std::string hexFromLinear(const Vec3f& colour) {
  const auto channel = [&](int k) {
    return static_cast<int>(std::lround(255.0f * std::clamp(srgbFromLinear(colour[k]), 0.0f, 1.0f)));
  };
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", channel(0), channel(1), channel(2));
  return text;
}

}  // namespace cairn
