#include "picture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "picture/picture_camera.hpp"
#include "picture/picture_light.hpp"
#include "picture/picture_raster.hpp"
#include "picture/picture_scene.hpp"
#include "picture/picture_shade.hpp"

namespace cairn {
namespace {

constexpr int kSamples = kSamplesPerSide * kSamplesPerSide;
constexpr int kMostShadowSegments = 36;  // chords around a shape that throws a shadow
constexpr int kLineReach = 2;            // samples from the edge that a line covers
constexpr int kGlassLineReach = 4;
constexpr float kSameDepth = 4e-3f;    // relative: a neighbour nearer than this is in front, and the line is on its side
constexpr double kSmallestPart = 0.2;  // pixels: smaller parts are left out
constexpr double kGridPart = 1.0;      // scene radii: static shapes larger than this carry the grid

void check(const PictureOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("picture: " + what); };
  for (const auto& [name, side] : {std::pair{"width", options.width}, std::pair{"height", options.height}}) {
    if (side < 1 || side > kLargestPictureSide) {
      refuse(std::string(name) + ": found " + std::to_string(side) + "; allowed: 1 to " +
             std::to_string(kLargestPictureSide) + " pixels");
    }
  }
  if (options.width * options.height > kMostPicturePixels) {
    refuse("width x height: found " + std::to_string(options.width * options.height) + "; allowed: at most " +
           std::to_string(kMostPicturePixels) + " pixels");
  }
  const double angle = options.verticalFieldOfViewDeg;
  if (!(angle >= 1.0 && angle <= 150.0)) {
    refuse("verticalFieldOfViewDeg: found " + std::to_string(angle) + "; allowed: 1 to 150 degrees");
  }
  if (options.stage && !(options.stage->origin.allFinite() && options.stage->radius > 0.0)) refuse("stage: not a ball");
  if (options.eye && !options.eye->allFinite()) refuse("eye: not finite");
  if (options.target && !options.target->allFinite()) refuse("target: not finite");
}

// One face in one pixel, and what of it is lit once.
struct Fragment {
  std::uint32_t pixel;
  std::uint32_t face;
  float inverseDepth;  // 1/m
  float weight;        // share of the pixel's samples
  float line;          // darkening by lines, mean over them
};

class Picture {
 public:
  Picture(const World& world, const PictureOptions& options)
      : scene_(gatherScene(world, options.stage)),
        camera_(chooseCamera(scene_, options)),
        shader_((findGlass(scene_, camera_), scene_), camera_),
        solid_(options.width, options.height),
        glass_(0, 0) {
    if (std::any_of(scene_.parts.begin(), scene_.parts.end(), [](const PicturePart& part) { return part.isGlass; })) {
      glass_ = SampleLayer(options.width, options.height);
    }
  }

  Image render() {
    drawPlanes();
    drawParts();
    collectFragments();
    lightPoints(points_, casters_, scene_, shader_.toSun(), std::max(camera_.width, camera_.height));
    std::vector<Vec3f> colours = shadeFragments();
    if (glass_.width > 0) addGlass(colours);
    return encode(colours);
  }

 private:
  void drawPlanes() {
    for (const PicturePlane& plane : scene_.planes) {
      drawPlane(solid_, camera_, plane, static_cast<std::uint32_t>(faces_.size()));
      faces_.push_back({.normal = plane.normal.cast<float>(), .grid = &plane, .isGround = true});
    }
  }

  void drawParts() {
    // Large static shapes first get their grids, so that the pointers to these stay good.
    grids_.reserve(6 * scene_.parts.size());
    for (const PicturePart& part : scene_.parts) {
      const Vec3 center = camera_.toCamera(part.pose.position);
      const double depth = std::max(center.z() - part.radius, camera_.near);
      const double pixels = camera_.focal * part.radius / depth;
      if (center.z() + part.radius < camera_.near || pixels < kSmallestPart) continue;
      const Mesh mesh = buildMesh(part.geometry, segmentsFor(pixels));
      const auto firstFace = static_cast<std::uint32_t>(faces_.size());
      const float lineSize = static_cast<float>(featureSize(part.geometry, mesh));
      for (const Vec3& normal : mesh.faceNormals) addFace(part, normal, lineSize);
      drawMesh(part.isGlass ? glass_ : solid_, camera_, mesh, part.pose, firstFace);
      if (!part.isGlass) addCaster(part, mesh, std::min(segmentsFor(0.4 * pixels), kMostShadowSegments));
    }
  }

  void addFace(const PicturePart& part, const Vec3& normal, float lineSize) {
    PictureFace face{.part = &part, .normal = part.pose.direction(normal).cast<float>(), .lineSize = lineSize};
    if (part.isStatic && !part.isFocus && part.radius > kGridPart * scene_.radius &&
        std::holds_alternative<Box>(part.geometry)) {
      PicturePlane& grid = grids_.emplace_back();
      grid.normal = face.normal.cast<double>();
      layGrid(grid, scene_);
      face.grid = &grid;
      face.isGround = grid.normal.dot(scene_.up) > 0.5;
    }
    faces_.push_back(face);
  }

  void addCaster(const PicturePart& part, const Mesh& fine, int segments) {
    const bool isFlat = std::holds_alternative<Box>(part.geometry) || part.geometry.index() >= 6;  // of triangles as it is
    const Mesh coarse = isFlat ? Mesh{} : buildMesh(part.geometry, segments);
    const Mesh& mesh = isFlat ? fine : coarse;
    const auto base = static_cast<std::uint32_t>(casters_.vertices.size());
    for (const Vec3& vertex : mesh.vertices) casters_.vertices.push_back(part.pose.point(vertex).cast<float>());
    for (const MeshTriangle& triangle : mesh.triangles) {
      for (const std::uint32_t corner : {triangle.a, triangle.b, triangle.c}) casters_.indices.push_back(base + corner);
    }
  }

  // Whether all samples of the pixel and those that its lines look at show one face.
  static bool isPlain(const SampleLayer& layer, int left, int top, int reach) {
    const int firstRow = std::max(top - reach, 0);
    const int lastRow = std::min(top + kSamplesPerSide + reach, layer.height);
    const int firstColumn = std::max(left - reach, 0);
    const int lastColumn = std::min(left + kSamplesPerSide + reach, layer.width);
    const std::uint32_t face = layer.face[layer.index(left, top)];
    for (int row = firstRow; row < lastRow; ++row) {
      const std::uint32_t* faces = layer.face.data() + layer.index(0, row);
      for (int column = firstColumn; column < lastColumn; ++column) {
        if (faces[column] != face) return false;
      }
    }
    return true;
  }

  // Whether the sample lies on the line around its face.
  static bool isOnLine(const SampleLayer& layer, int column, int row, int width) {
    const std::size_t here = layer.index(column, row);
    const float limit = layer.inverseDepth[here] * (1.0f + kSameDepth);
    const auto differs = [&](int otherColumn, int otherRow) {
      if (otherColumn < 0 || otherRow < 0 || otherColumn >= layer.width || otherRow >= layer.height) return false;
      const std::size_t other = layer.index(otherColumn, otherRow);
      return layer.face[other] != layer.face[here] && layer.inverseDepth[other] <= limit;
    };
    for (int reach = 1; reach <= width; ++reach) {
      if (differs(column - reach, row) || differs(column + reach, row)) return true;
      if (differs(column, row - reach) || differs(column, row + reach)) return true;
    }
    return false;
  }

  void collectFragments() {
    for (int y = 0; y < camera_.height; ++y) {
      if (y % 2 == 0) skyOfBlock_.assign(camera_.width / 2 + 1, kNoFace);
      for (int x = 0; x < camera_.width; ++x) collectPixel(x, y);
    }
  }

  void collectPixel(int x, int y) {
    const auto pixel = static_cast<std::uint32_t>(y * camera_.width + x);
    const int left = x * kSamplesPerSide, top = y * kSamplesPerSide;
    const bool plain = isPlain(solid_, left, top, kLineReach);
    if (plain && solid_.face[solid_.index(left, top)] == kNoFace) return;
    struct Group {
      std::uint32_t face;
      int count = 0;
      float line = 0.0f;
      double column = 0.0, row = 0.0, inverseDepth = 0.0;
    } groups[kSamples];
    int groupCount = 0;
    for (int k = 0; k < kSamples; ++k) {
      const int column = left + k % kSamplesPerSide, row = top + k / kSamplesPerSide;
      const std::size_t sample = solid_.index(column, row);
      const std::uint32_t face = solid_.face[sample];
      if (face == kNoFace) continue;
      int g = 0;
      while (g < groupCount && groups[g].face != face) ++g;
      if (g == groupCount) groups[groupCount++].face = face;
      Group& group = groups[g];
      ++group.count;
      group.column += column + 0.5 + sampleShift(row);
      group.row += row + 0.5;
      group.inverseDepth += solid_.inverseDepth[sample];
      if (!plain && faces_[face].lineSize > 0.0f && isOnLine(solid_, column, row, kLineReach)) {
        group.line += shader_.lineStrength(faces_[face], solid_.inverseDepth[sample]);
      }
    }
    for (int g = 0; g < groupCount; ++g) {
      const Group& group = groups[g];
      const double mean = 1.0 / group.count;
      const double inverseDepth = group.inverseDepth * mean;
      const Vec3 position =
          camera_.eye +
          camera_.direction(group.column * mean / kSamplesPerSide, group.row * mean / kSamplesPerSide) / inverseDepth;
      if (shader_.hazeAt(faces_[group.face], position.cast<float>()) >= 1.0f) continue;  // background
      fragments_.push_back({pixel, group.face, static_cast<float>(inverseDepth),
                            static_cast<float>(group.count) / static_cast<float>(kSamples),
                            group.line * static_cast<float>(mean)});
      const auto index = static_cast<std::uint32_t>(points_.size());
      points_.push_back({.position = position.cast<float>(), .normal = normalAt(faces_[group.face], position)});
      points_.back().skyFrom = plain ? sharedSky(x, y, index) : index;
    }
  }

  // Pixels within a flat face share the sky in blocks of two by two.
  std::uint32_t sharedSky(int x, int y, std::uint32_t index) {
    const std::uint32_t face = fragments_[index].face;
    if (faces_[face].normal == Vec3f::Zero()) return index;
    std::uint32_t& shared = skyOfBlock_[x / 2];
    if ((x % 2 == 0 && y % 2 == 0) || shared == kNoFace || fragments_[shared].face != face) shared = index;
    return shared;
  }

  Vec3f normalAt(const PictureFace& face, const Vec3& position) const {
    if (face.normal != Vec3f::Zero()) return face.normal;
    const Pose& pose = face.part->pose;
    return pose.direction(curvedNormal(face.part->geometry, pose.inversePoint(position))).cast<float>();
  }

  std::vector<Vec3f> shadeFragments() const {
    std::vector<Vec3f> colours(static_cast<std::size_t>(camera_.width) * camera_.height, Vec3f::Zero());
    std::vector<float> covered(colours.size(), 0.0f);
    for (std::size_t i = 0; i < fragments_.size(); ++i) {
      const Fragment& fragment = fragments_[i];
      const int row = static_cast<int>(fragment.pixel) / camera_.width;
      const Vec3f colour = shader_.shade(faces_[fragment.face], points_[i], fragment.line, fragment.inverseDepth, row);
      // Clamped before averaging: an edge of something too bright is anti-aliased too.
      colours[fragment.pixel] += fragment.weight * colour.cwiseMin(1.0f);
      covered[fragment.pixel] += fragment.weight;
    }
    for (int y = 0; y < camera_.height; ++y) {
      const Vec3f background = shader_.background(y);
      const std::size_t base = static_cast<std::size_t>(y) * camera_.width;
      for (int x = 0; x < camera_.width; ++x) colours[base + x] += std::max(0.0f, 1.0f - covered[base + x]) * background;
    }
    return colours;
  }

  void addGlass(std::vector<Vec3f>& colours) const {
    for (int y = 0; y < camera_.height; ++y) {
      for (int x = 0; x < camera_.width; ++x) {
        const int left = x * kSamplesPerSide, top = y * kSamplesPerSide;
        const bool plain = isPlain(glass_, left, top, kGlassLineReach);
        if (plain && glass_.face[glass_.index(left, top)] == kNoFace) continue;
        int inFront = 0, onLine = 0;
        for (int k = 0; k < kSamples; ++k) {
          const int column = left + k % kSamplesPerSide, row = top + k / kSamplesPerSide;
          const std::size_t sample = glass_.index(column, row);
          if (glass_.face[sample] == kNoFace || glass_.inverseDepth[sample] < solid_.inverseDepth[sample]) continue;
          ++inFront;
          if (!plain && isOnLine(glass_, column, row, kGlassLineReach)) ++onLine;
        }
        Vec3f& colour = colours[static_cast<std::size_t>(y) * camera_.width + x];
        colour = Shader::throughGlass(colour, static_cast<float>(inFront) / kSamples, static_cast<float>(onLine) / kSamples);
      }
    }
  }

  Image encode(const std::vector<Vec3f>& colours) const {
    constexpr int kSteps = 1 << 14;
    static const std::vector<std::uint8_t> table = [] {
      std::vector<std::uint8_t> values(kSteps + 1);
      for (int i = 0; i <= kSteps; ++i) {
        const double linear = static_cast<double>(i) / kSteps;
        const double srgb = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
        values[i] = static_cast<std::uint8_t>(std::lround(255.0 * srgb));
      }
      return values;
    }();
    Image image{camera_.width, camera_.height, {}};
    image.rgb.reserve(3 * colours.size());
    for (const Vec3f& colour : colours) {
      for (int k = 0; k < 3; ++k) image.rgb.push_back(table[static_cast<int>(std::clamp(colour[k], 0.0f, 1.0f) * kSteps)]);
    }
    return image;
  }

  PictureScene scene_;
  Camera camera_;
  Shader shader_;
  SampleLayer solid_;
  SampleLayer glass_;  // empty if nothing is glass
  std::vector<PictureFace> faces_;
  std::vector<PicturePlane> grids_;
  Casters casters_;
  std::vector<Fragment> fragments_;
  std::vector<LitPoint> points_;
  std::vector<std::uint32_t> skyOfBlock_;  // index of a point, or kNoFace
};

}  // namespace

Image renderPicture(const World& world, const PictureOptions& options) {
  check(options);
  return Picture(world, options).render();
}

}  // namespace cairn
