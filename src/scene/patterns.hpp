// Patterns repeat a body: a row, a grid, a ring, a wall, a pyramid, and any of them repeated by another.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

struct RowPattern {
  int count = 1;
  Vec3 step = Vec3::Zero();       // m
  double turn = 0.0;              // rad, of each against the one before
  Vec3 turnAxis = Vec3::UnitZ();  // unit
};
struct GridPattern {
  std::array<int, 3> count{1, 1, 1};
  Vec3 step = Vec3::Ones();  // m
};
struct RingPattern {
  int count = 1;
  double radius = 1.0;  // m
  double start = 0.0;   // rad, from x towards y
  bool outward = true;  // each copy's x axis points away from the centre
};
// Along straight lines from point to point.
struct CurvePattern {
  int count = 2;
  std::vector<Vec3> points{};  // m
  bool along = true;           // each copy's x axis points along the way, its z axis up as far as that goes
};
// Running bond along x. Odd rows have a half brick at either end, so that a row of n bricks alternates with one of n + 1.
struct WallPattern {
  int columns = 1;
  int rows = 1;
  double gap = 0.0;                                              // m, between neighbours in a row
  Vec3 brick = Vec3::Ones();                                     // m, full edge lengths
  double halfLength() const { return 0.5 * (brick.x() - gap); }  // m, of a half brick
};
struct PyramidPattern {
  int base = 1;
  Vec3 step = Vec3::Ones();  // m
};
using Pattern = std::variant<RowPattern, GridPattern, RingPattern, CurvePattern, WallPattern, PyramidPattern>;

struct PatternCopy {
  Pose pose;           // in the pattern's frame
  std::string suffix;  // of the body's name: ".3.12", outermost pattern first, counted from 0
  bool half = false;   // a half brick of a wall
};

// How many copies, as a number that cannot overflow.
double countCopies(const std::vector<Pattern>& patterns);
// Each pattern repeats what the ones before it made.
std::vector<PatternCopy> expandPatterns(const std::vector<Pattern>& patterns);

}  // namespace cairn
