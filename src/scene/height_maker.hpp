// Heights of landscapes, made the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace cairn {

struct HeightMaker {
  bool isNoise = false;
  double amplitude = 1.0;   // m
  double wavelength = 1.0;  // m
  std::uint32_t seed = 1;
  int octaves = 1;

  // Row after row, about the middle of the grid.
  std::vector<float> make(std::uint32_t rows, std::uint32_t columns, double spacing) const {
    std::vector<float> heights;
    heights.reserve(static_cast<std::size_t>(rows) * columns);
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < columns; ++column) {
        const double x = spacing * (column - 0.5 * (columns - 1)), y = spacing * (row - 0.5 * (rows - 1));
        heights.push_back(static_cast<float>(amplitude * (isNoise ? noise(x, y) : waves(x, y))));
      }
    }
    return heights;
  }

 private:
  double waves(double x, double y) const {
    const double k = 2.0 * std::numbers::pi / wavelength;
    return 0.5 * (std::cos(k * x) + std::cos(k * y));
  }
  // Random numbers at the points of a lattice, smoothly in between. Divided so that no sum is beyond 1.
  double noise(double x, double y) const {
    double sum = 0.0, share = 1.0, total = 0.0, scale = 1.0 / wavelength;
    for (int octave = 0; octave < octaves; ++octave) {
      sum += share * smooth(x * scale, y * scale, seed + 977u * static_cast<std::uint32_t>(octave));
      total += share;
      share *= 0.5;
      scale *= 2.0;
    }
    return sum / total;
  }
  static double smooth(double x, double y, std::uint32_t seed) {
    const double fx = std::floor(x), fy = std::floor(y);
    const auto ease = [](double t) { return t * t * (3.0 - 2.0 * t); };
    const double u = ease(x - fx), v = ease(y - fy);
    const auto at = [&](double dx, double dy) { return lattice(static_cast<int>(fx + dx), static_cast<int>(fy + dy), seed); };
    return (1.0 - v) * ((1.0 - u) * at(0, 0) + u * at(1, 0)) + v * ((1.0 - u) * at(0, 1) + u * at(1, 1));
  }
  static double lattice(int x, int y, std::uint32_t seed) {
    std::uint32_t h = seed * 0x9e3779b9u ^ static_cast<std::uint32_t>(x) * 0x85ebca6bu ^ static_cast<std::uint32_t>(y) * 0xc2b2ae35u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return h / 2147483648.0 - 1.0;
  }
};

}  // namespace cairn
