#include "picture/picture_raster.hpp"

namespace cairn {
namespace {

// Keeps the part of a triangle in front of the near plane. Returns the number of corners: 0, 3 or 4.
int clipNear(const Vec3 (&corner)[3], double near, Vec3 (&kept)[4]) {
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const Vec3& a = corner[k];
    const Vec3& b = corner[(k + 1) % 3];
    const bool aIn = a.z() >= near, bIn = b.z() >= near;
    if (aIn) kept[count++] = a;
    if (aIn != bIn) {
      kept[count] = a + (b - a) * ((near - a.z()) / (b.z() - a.z()));
      kept[count++].z() = near;
    }
  }
  return count;
}

struct ProjectedCorner {
  Eigen::Vector2d at;  // samples
  double inverseDepth;
};

void fillTriangle(SampleLayer& layer, const ProjectedCorner& a, const ProjectedCorner& b, const ProjectedCorner& c,
                  std::uint32_t face) {
  const Eigen::Vector2d ab = b.at - a.at, ac = c.at - a.at;
  const double area = ab.x() * ac.y() - ab.y() * ac.x();
  // Rows count downwards, which turns counter-clockwise into negative area.
  if (!(area < 0.0)) return;
  const double db = b.inverseDepth - a.inverseDepth, dc = c.inverseDepth - a.inverseDepth;
  const double slopeX = (db * ac.y() - dc * ab.y()) / area;
  const double slopeY = (dc * ab.x() - db * ac.x()) / area;
  // A sliver's slopes are mostly rounding; they must not take a sample out of the triangle's range.
  const auto [low, high] = std::minmax({a.inverseDepth, b.inverseDepth, c.inverseDepth});
  const float lowDepth = static_cast<float>(low), highDepth = static_cast<float>(high);
  const Eigen::Vector2d corners[3] = {a.at, b.at, c.at};
  scanTriangle(corners, layer.width, layer.height, sampleShift, [&](int row, int first, int last) {
    const double start = a.inverseDepth + slopeX * (0.5 + sampleShift(row) - a.at.x()) + slopeY * (row + 0.5 - a.at.y());
    const std::size_t base = layer.index(0, row);
    for (int i = first; i <= last; ++i) {
      const float depth = std::clamp(static_cast<float>(start + slopeX * i), lowDepth, highDepth);
      if (depth > layer.inverseDepth[base + i]) {
        layer.inverseDepth[base + i] = depth;
        layer.face[base + i] = face;
      }
    }
  });
}

}  // namespace

SampleLayer::SampleLayer(int pixelWidth, int pixelHeight)
    : width(pixelWidth * kSamplesPerSide), height(pixelHeight * kSamplesPerSide) {
  inverseDepth.assign(static_cast<std::size_t>(width) * height, 0.0f);
  face.assign(inverseDepth.size(), kNoFace);
}

void drawMesh(SampleLayer& layer, const Camera& camera, const Mesh& mesh, const Pose& pose, std::uint32_t firstFace) {
  Mat3 axes;
  axes << camera.right.transpose(), camera.upward.transpose(), camera.forward.transpose();
  const Mat3 rotation = axes * pose.rotation.toRotationMatrix();
  const Vec3 offset = axes * (pose.position - camera.eye);
  std::vector<Vec3> inCamera;
  inCamera.reserve(mesh.vertices.size());
  for (const Vec3& vertex : mesh.vertices) inCamera.push_back(rotation * vertex + offset);

  const double scale = kSamplesPerSide * camera.focal;
  const auto project = [&](const Vec3& p) -> ProjectedCorner {
    return {{0.5 * layer.width + scale * p.x() / p.z(), 0.5 * layer.height - scale * p.y() / p.z()}, 1.0 / p.z()};
  };
  for (const MeshTriangle& triangle : mesh.triangles) {
    const Vec3 corners[3] = {inCamera[triangle.a], inCamera[triangle.b], inCamera[triangle.c]};
    Vec3 kept[4];
    const int count = clipNear(corners, camera.near, kept);
    if (count < 3) continue;
    const ProjectedCorner first = project(kept[0]), second = project(kept[1]), third = project(kept[2]);
    fillTriangle(layer, first, second, third, firstFace + triangle.face);
    if (count == 4) fillTriangle(layer, first, third, project(kept[3]), firstFace + triangle.face);
  }
}

void drawPlane(SampleLayer& layer, const Camera& camera, const PicturePlane& plane, std::uint32_t face) {
  const double outside = plane.normal.dot(camera.eye) - plane.offset;
  if (!(outside > camera.near)) return;
  // On the plane normal . (eye + w direction) = offset, hence 1 / w = -normal . direction / outside.
  // A surface in the plane, such as the top of a static box, wins over it by a hair.
  const double scale = -(1.0 - 1e-6) / outside;
  const double columnSlope = scale * plane.normal.dot(camera.right) / (camera.focal * kSamplesPerSide);
  for (int row = 0; row < layer.height; ++row) {
    const double column = (0.5 + sampleShift(row)) / kSamplesPerSide;
    const double start = scale * plane.normal.dot(camera.direction(column, (row + 0.5) / kSamplesPerSide));
    const std::size_t base = layer.index(0, row);
    for (int i = 0; i < layer.width; ++i) {
      const float depth = static_cast<float>(start + columnSlope * i);
      if (depth > layer.inverseDepth[base + i]) {
        layer.inverseDepth[base + i] = depth;
        layer.face[base + i] = face;
      }
    }
  }
}

}  // namespace cairn
