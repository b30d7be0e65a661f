// Qhull (Barber, Dobkin, Huhdanpaa 1996) with joggled input ("QJ"): every facet is then a triangle and the surface is a
// proper 2-manifold, however many points lie in one plane. The joggle is about 1e-11 of the size and moves no point of ours:
// only the connectivity is taken from Qhull, and face_merging.hpp puts coplanar triangles together again. The other way,
// Qhull's own merged facets, gives faces whose vertices need not be in a consistent order when many points are nearly
// coplanar. The joggle's random numbers have a fixed seed, so the same points give the same triangles.
#include "geometry/convex_triangulation.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace cairn {
namespace {

// Qhull writes what it has to say to a C stream; this one goes to memory, never to the terminal.
class MemoryStream {
 public:
  MemoryStream() : stream_(open_memstream(&text_, &length_)) {
    if (stream_ == nullptr) throw std::runtime_error("hull: no memory for Qhull's messages");
  }
  MemoryStream(const MemoryStream&) = delete;
  MemoryStream& operator=(const MemoryStream&) = delete;
  ~MemoryStream() {
    std::fclose(stream_);
    std::free(text_);
  }
  FILE* get() { return stream_; }
  std::string firstLine() {
    std::fflush(stream_);
    const std::string all(text_, length_);
    return all.substr(0, all.find('\n'));
  }

 private:
  char* text_ = nullptr;
  std::size_t length_ = 0;
  FILE* stream_;
};

class Qhull {
 public:
  explicit Qhull(FILE* messages) : state_(std::make_unique<qhT>()) { qh_zero(state_.get(), messages); }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    int longs = 0;
    int total = 0;
    qh_freeqhull(state_.get(), !qh_ALL);
    qh_memfreeshort(state_.get(), &longs, &total);
  }
  qhT* get() { return state_.get(); }

 private:
  std::unique_ptr<qhT> state_;
};

}  // namespace

std::vector<HullTriangle> triangulateHull(std::span<const Vec3> points) {
  std::vector<coordT> coordinates;
  coordinates.reserve(points.size() * 3);
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});

  MemoryStream messages;
  Qhull qhull(messages.get());
  qhT* qh = qhull.get();
  // qh_new_qhull catches Qhull's errors by itself and returns a code. What follows only reads, and cannot raise one.
  char command[] = "qhull QJ Pp";
  const int code = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command, messages.get(),
                                messages.get());
  if (code != 0) throw std::invalid_argument("points: no convex hull could be made (" + messages.firstLine() + ")");

  std::vector<HullTriangle> triangles;
  triangles.reserve(static_cast<std::size_t>(qh->num_facets));
  double volume = 0.0;
  facetT* facet;
  FORALLfacets {
    HullTriangle triangle{};
    int count = 0;
    vertexT* vertex;
    vertexT** vertexp;
    FOREACHvertex_(facet->vertices) {
      if (count < 3) triangle[count] = static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
      ++count;
    }
    if (count != 3) throw std::invalid_argument("points: no convex hull could be made (a facet is not a triangle)");
    if (facet->toporient) std::swap(triangle[0], triangle[1]);
    volume += points[triangle[0]].dot(points[triangle[1]].cross(points[triangle[2]]));
    triangles.push_back(triangle);
  }
  // Qhull's orientation bit is consistent over the surface; which of the two senses it means is read off the volume.
  if (volume < 0.0) {
    for (HullTriangle& triangle : triangles) std::swap(triangle[0], triangle[1]);
  }
  return triangles;
}

}  // namespace cairn
