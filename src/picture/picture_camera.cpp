#include "picture/picture_camera.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cairn {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kElevation = 21.0 * kDegree;      // of the eye above what it looks at, if that is half as high as wide
constexpr double kFlatElevation = 31.0 * kDegree;  // if that is flat, and would hide itself
constexpr double kTurn = 33.0 * kDegree;           // away from the front: shows two sides, one more than the other
constexpr double kMargin = 0.10;                   // of the picture, left free on every side
constexpr double kLongRatio = 1.6;                 // a scene this much longer than wide is seen from its long side
constexpr double kLongShare = 0.1;                 // of the scene's radius, at least: the spread of a stack across is chance
constexpr int kCentringSteps = 12;
constexpr double kNearShare = 1e-3;        // of the distance to the target
constexpr double kGlassRadius = 0.35;      // of the scene's: smaller static shapes hide too little to matter
constexpr double kGlassShare = 0.04;       // of the bodies, hidden behind a shape, make it glass
constexpr std::size_t kGlassProbes = 400;  // bodies to try

void lookAlong(Camera& camera, const Vec3& forward, const Vec3& up) {
  camera.forward = forward;
  Vec3 right = forward.cross(up);
  if (right.norm() < 1e-6) right = forward.cross(std::abs(forward.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY());
  camera.right = right.normalized();
  camera.upward = camera.right.cross(forward);
}

// The horizontal direction of the scene's front: across its longest horizontal extent, or towards -y.
Vec3 frontOf(const PictureScene& scene) {
  Vec3 y = Vec3::UnitY() - scene.up.y() * scene.up;
  if (y.norm() < 0.1) y = Vec3::UnitZ() - scene.up.z() * scene.up;
  y.normalize();
  const Vec3 x = y.cross(scene.up);
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  double count = 0.0;
  for (const PicturePart& part : scene.parts) {
    if (!part.isFocus) continue;
    const Eigen::Vector2d at(x.dot(part.pose.position), y.dot(part.pose.position));
    spread += at * at.transpose();
    mean += at;
    count += 1.0;
  }
  if (count < 2.0) return -y;
  mean /= count;
  spread = spread / count - mean * mean.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(spread);
  const Eigen::Vector2d extent = solver.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  if (extent[1] < std::max(kLongRatio * extent[0], kLongShare * scene.radius)) return -y;
  const Eigen::Vector2d across = solver.eigenvectors().col(0);
  const Vec3 front = across.x() * x + across.y() * y;
  // Of the two long sides the one that the usual front is nearer to; for a scene along y, the one towards +x.
  const double side = front.dot(-y) + 1e-3 * front.dot(x);
  return side >= 0.0 ? front : Vec3(-front);
}

double elevationFor(const PictureScene& scene) {
  double high = 0.0, low = 0.0;
  for (const PicturePart& part : scene.parts) {
    if (!part.isFocus) continue;
    high = std::max(high, part.support(scene.up));
    low = std::max(low, part.support(-scene.up));
  }
  const double slimness = std::min(1.0, (high + low) / scene.radius);
  return kFlatElevation + slimness * (kElevation - kFlatElevation);
}

// The eye nearest to the scene that has every focus part between the four side planes of the view. With
//   A = max over the scene of p . (right - t forward)   (t: tangent of half the angle of view)
// a point is left of the right-hand side plane iff A <= eye . (right - t forward); likewise for the other sides.
struct SideFit {
  double depth;     // m, of the eye along `forward`: at most this
  double sideways;  // m, of the eye along the axis
};

SideFit fitSides(const PictureScene& scene, const Vec3& axis, const Vec3& forward, double tangent) {
  double plus = -std::numeric_limits<double>::max(), minus = plus;
  for (const PicturePart& part : scene.parts) {
    if (!part.isFocus) continue;
    plus = std::max(plus, part.support(axis - tangent * forward));
    minus = std::max(minus, part.support(-axis - tangent * forward));
  }
  return {-(plus + minus) / (2.0 * tangent), 0.5 * (plus - minus)};
}

Vec3 fittingEye(const PictureScene& scene, const Camera& camera) {
  const double shrink = 1.0 - 2.0 * kMargin;
  const double tangents[2] = {0.5 * camera.width / camera.focal * shrink, 0.5 * camera.height / camera.focal * shrink};
  const Vec3 axes[2] = {camera.right, camera.upward};
  SideFit fits[2];
  for (int k = 0; k < 2; ++k) fits[k] = fitSides(scene, axes[k], camera.forward, tangents[k]);
  const int tight = fits[0].depth < fits[1].depth ? 0 : 1, loose = 1 - tight;
  // Where there is room to spare, a narrower view that is just as tight puts the scene in the middle.
  double low = 0.0, high = tangents[loose];
  for (int i = 0; i < kCentringSteps; ++i) {
    const double middle = 0.5 * (low + high);
    const SideFit fit = fitSides(scene, axes[loose], camera.forward, middle);
    (fit.depth < fits[tight].depth ? low : high) = middle;
    if (fit.depth >= fits[tight].depth) fits[loose] = fit;
  }
  return fits[0].sideways * axes[0] + fits[1].sideways * axes[1] + fits[tight].depth * camera.forward;
}

// How many planes hide the scene: the eye is within their solid, and they are not drawn.
int planesLost(const PictureScene& scene, const Vec3& eye) {
  return static_cast<int>(std::count_if(scene.planes.begin(), scene.planes.end(),
                                        [&](const PicturePlane& plane) { return plane.normal.dot(eye) < plane.offset; }));
}

// Whether the segment from the eye to the point meets the shape's box of bounds.
bool meets(const PicturePart& part, const Vec3& low, const Vec3& high, const Vec3& eye, const Vec3& point) {
  const Vec3 from = part.pose.inversePoint(eye);
  const Vec3 along = part.pose.inversePoint(point) - from;
  double enter = 0.0, leave = 1.0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(along[k]) < 1e-12) {
      if (from[k] < low[k] || from[k] > high[k]) return false;
      continue;
    }
    const double a = (low[k] - from[k]) / along[k], b = (high[k] - from[k]) / along[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

}  // namespace

Camera chooseCamera(const PictureScene& scene, const PictureOptions& options) {
  Camera camera;
  camera.width = options.width;
  camera.height = options.height;
  camera.focal = 0.5 * options.height / std::tan(0.5 * options.verticalFieldOfViewDeg * kDegree);

  const Vec3 target = options.target ? Vec3(*options.target - scene.origin) : Vec3(Vec3::Zero());
  if (options.eye) {
    camera.eye = *options.eye - scene.origin;
    const Vec3 forward = target - camera.eye;
    lookAlong(camera, forward.norm() > 0.0 ? Vec3(forward.normalized()) : Vec3(-scene.up), scene.up);
    camera.near = kNearShare * std::max(forward.norm(), 1e-3);
    return camera;
  }
  const bool hasFocus = std::any_of(scene.parts.begin(), scene.parts.end(), [](const auto& part) { return part.isFocus; });
  const Vec3 front = frontOf(scene);
  const double elevation = elevationFor(scene);
  int fewestLost = std::numeric_limits<int>::max();
  for (const double turn : {kTurn, -kTurn, kTurn + std::numbers::pi, std::numbers::pi - kTurn}) {
    Camera candidate = camera;
    const Vec3 level = Eigen::AngleAxisd(turn, scene.up) * front;
    lookAlong(candidate, -(std::cos(elevation) * level + std::sin(elevation) * scene.up).normalized(), scene.up);
    if (hasFocus && !options.target) {
      candidate.eye = fittingEye(scene, candidate);
    } else {
      const double halfAngle = std::atan(0.5 * std::min(camera.width, camera.height) / camera.focal);
      candidate.eye = target - scene.radius / std::sin(halfAngle) * candidate.forward;
    }
    candidate.near = kNearShare * std::max((candidate.eye - target).norm(), 1e-6);
    const int lost = planesLost(scene, candidate.eye);
    if (lost < fewestLost) {
      fewestLost = lost;
      camera = candidate;
    }
  }
  return camera;
}

void findGlass(PictureScene& scene, const Camera& camera) {
  std::vector<Vec3> probes;
  for (const PicturePart& part : scene.parts) {
    if (part.isFocus && !part.isStatic) probes.push_back(part.pose.position);
  }
  if (probes.size() > kGlassProbes) {
    const std::size_t count = probes.size();
    for (std::size_t i = 0; i < kGlassProbes; ++i) probes[i] = probes[i * count / kGlassProbes];
    probes.resize(kGlassProbes);
  }
  for (PicturePart& part : scene.parts) {
    if (!part.isStatic || part.radius < kGlassRadius * scene.radius) continue;
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) {
      high[k] = support(part.geometry, Vec3::Unit(k));
      low[k] = -support(part.geometry, -Vec3::Unit(k));
    }
    const auto hidden = std::count_if(probes.begin(), probes.end(),
                                      [&](const Vec3& probe) { return meets(part, low, high, camera.eye, probe); });
    part.isGlass = hidden > kGlassShare * probes.size();
  }
}

}  // namespace cairn
