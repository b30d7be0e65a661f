#include "solvers/contact_pieces.hpp"

#include <numbers>

#include "problem/admissible.hpp"

namespace cairn {

namespace {

using Vec2 = Eigen::Vector2d;

// Projection of the tangents y on the set of radius r, and how friction may move on this piece:
// t = z_n reach + (if `alongs` is 1) z_a along; anywhere if `sticks`.
struct TangentPiece {
  bool sticks = false;
  Vec2 projection = Vec2::Zero();
  Vec2 reach = Vec2::Zero();
  int alongs = 0;
  Vec2 along = Vec2::Zero();
  double slope = 1.0;  // of the projection along `along`: 1 on straight edges, r/|y| on the circle
};

TangentPiece onCircle(const Vec2& y, double r) {
  TangentPiece piece;
  const double size = y.norm();
  piece.sticks = size <= r;
  piece.projection = y;
  if (piece.sticks) return piece;
  piece.reach = y / size;
  piece.projection = r * piece.reach;
  piece.alongs = 1;
  piece.along = Vec2(-piece.reach.y(), piece.reach.x());
  piece.slope = r / size;
  return piece;
}

// Corners of radius r, one at (r, 0); the same sectors as projectPolygon().
TangentPiece onPolygon(const Vec2& y, double r, int corners) {
  TangentPiece piece;
  const double sector = 2.0 * std::numbers::pi / corners;
  const double middle = (std::floor(std::atan2(y.y(), y.x()) / sector) + 0.5) * sector;
  const Vec2 out(std::cos(middle), std::sin(middle)), along(-out.y(), out.x());
  const double distance = std::cos(0.5 * sector), half = std::sin(0.5 * sector);
  piece.projection = y;
  piece.sticks = y.dot(out) <= r * distance;
  if (piece.sticks) return piece;
  const double where = y.dot(along);
  if (std::abs(where) < r * half) {
    piece.reach = distance * out;
    piece.alongs = 1;
    piece.along = along;
    piece.projection = r * piece.reach + where * along;
  } else {
    piece.reach = distance * out + std::copysign(half, where) * along;
    piece.projection = r * piece.reach;
  }
  return piece;
}

// What a single tangent may reach with normal impulse 1.
double reachOfOne(const Block& block, int tangent) {
  if (block.law != Law::Pyramid || block.size == 2) return 1.0;
  return polygonSupport(tangent == 0 ? Vec2(1.0, 0.0) : Vec2(0.0, 1.0), block.facets);
}

bool isRound(const Block& block, const BlockVector& scale) {
  return block.size == 3 && block.law != Law::Box && scale[1] > 0.0 && scale[2] > 0.0;
}

TangentPiece onRound(const Block& block, const Vec2& y, double r) {
  return block.law == Law::Cone ? onCircle(y, r) : onPolygon(y, r, block.facets);
}

void addUnknown(ContactPiece& piece, const BlockVector& basis, const BlockVector& test, double shift, double start) {
  const int column = piece.unknowns++;
  piece.basis.col(column) = basis;
  piece.test.col(column) = test;
  piece.shift[column] = shift;
  piece.start[column] = start;
}

}  // namespace

PieceSteps pieceSteps(const Block& block, const BlockMatrix& w, double factor) {
  PieceSteps steps;
  const auto step = [&](double largest) { return largest > 0.0 ? factor / largest : 1.0; };
  for (int i = 0; i < block.size; ++i) steps.rho[i] = step(w(i, i));
  if (isContact(block.law) && block.size == 3) {
    const double mean = 0.5 * (w(1, 1) + w(2, 2)), across = 0.5 * (w(1, 2) + w(2, 1));
    steps.rho[1] = steps.rho[2] = step(mean + std::hypot(0.5 * (w(1, 1) - w(2, 2)), across));
  }
  return steps;
}

void projectPiece(const Block& block, const BlockVector& scale, const PieceSteps& steps, const double* lower,
                  const double* upper, const double* l, const double* s, double* out) {
  const auto y = [&](int i) { return l[i] - steps.rho[i] * s[i]; };
  if (!isContact(block.law)) {
    for (int i = 0; i < block.size; ++i) out[i] = block.law == Law::Free ? y(i) : std::clamp(y(i), lower[i], upper[i]);
    return;
  }
  const double r = std::max(y(0), 0.0);
  out[0] = r;
  if (isRound(block, scale)) {
    const Vec2 t = onRound(block, Vec2(y(1), y(2)), r).projection;
    out[1] = t.x();
    out[2] = t.y();
    return;
  }
  for (int i = 1; i < block.size; ++i) {
    const double most = scale[i] > 0.0 ? r * reachOfOne(block, i - 1) : 0.0;
    out[i] = std::clamp(y(i), -most, most);
  }
}

void choosePiece(const Block& block, const BlockVector& scale, const PieceSteps& steps, const double* lower,
                 const double* upper, const double* l, const double* s, ContactPiece& piece) {
  const int size = block.size;
  const auto y = [&](int i) { return l[i] - steps.rho[i] * s[i]; };
  const auto unit = [&](int i) -> BlockVector { return BlockVector::Unit(size, i); };
  piece.unknowns = 0;
  piece.plain = false;
  piece.fixed = BlockVector::Zero(size);
  piece.basis.resize(size, size);
  piece.test.resize(size, size);
  piece.shift = BlockVector::Zero(size);
  piece.start = BlockVector::Zero(size);
  if (!isContact(block.law)) {
    for (int i = 0; i < size; ++i) {
      if (block.law == Law::Interval && y(i) <= lower[i]) {
        piece.fixed[i] = lower[i];
      } else if (block.law == Law::Interval && y(i) >= upper[i]) {
        piece.fixed[i] = upper[i];
      } else {
        addUnknown(piece, unit(i), unit(i), 0.0, l[i]);
      }
    }
    piece.plain = piece.unknowns == size;
    return;
  }
  const double r = y(0);
  if (r <= 0.0) return;
  BlockVector normal = unit(0);
  addUnknown(piece, normal, normal, 0.0, l[0]);
  if (isRound(block, scale)) {
    const TangentPiece t = onRound(block, Vec2(y(1), y(2)), r);
    if (t.sticks) {
      addUnknown(piece, unit(1), unit(1), 0.0, l[1]);
      addUnknown(piece, unit(2), unit(2), 0.0, l[2]);
      piece.plain = true;
      return;
    }
    piece.basis(1, 0) = t.reach.x();
    piece.basis(2, 0) = t.reach.y();
    if (t.alongs == 0) return;
    BlockVector along = BlockVector::Zero(3);
    along.tail<2>() = t.along;
    const double start = t.along.x() * l[1] + t.along.y() * l[2];
    addUnknown(piece, along, along, (1.0 - t.slope) / (t.slope * steps.rho[1]), start);
    return;
  }
  for (int i = 1; i < size; ++i) {
    if (scale[i] == 0.0) continue;
    const double most = r * reachOfOne(block, i - 1);
    if (std::abs(y(i)) < most) {
      addUnknown(piece, unit(i), unit(i), 0.0, l[i]);
    } else {
      piece.basis(i, 0) = std::copysign(reachOfOne(block, i - 1), y(i));
    }
  }
  piece.plain = piece.unknowns == size;
}

}  // namespace cairn
