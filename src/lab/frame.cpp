#include "lab/frame.hpp"

#include <bit>
#include <cstring>

namespace cairn {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian, as the machine is taken to be");

constexpr std::uint8_t kAsleep = 1, kQuarantined = 2, kKinematic = 4, kPinned = 8;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, const Vec3& vector) {
  for (int k = 0; k < 3; ++k) put(out, static_cast<float>(vector[k]));
}

std::string encodeContacts(const World& world, const Vec3& origin) {
  const std::vector<TouchPoint> points = world.touchPoints();
  std::string out;
  out.reserve(4 + 44 * points.size());
  put(out, static_cast<std::uint32_t>(points.size()));
  for (const TouchPoint& point : points) {
    put(out, Vec3(point.point - origin));
    put(out, point.normal);
    put(out, point.impulse);
    put(out, static_cast<float>(point.gap));
    put(out, static_cast<float>(point.friction));
  }
  return out;
}

}  // namespace

Frame::Header Frame::header(unsigned wanted) const {
  Header bytes;
  const std::uint32_t first[4] = {kFrameMagic, wanted & available, epoch, number};
  const std::uint32_t last[2] = {step, bodies};
  std::memcpy(bytes.data(), first, sizeof first);
  std::memcpy(bytes.data() + 16, &time, sizeof time);
  std::memcpy(bytes.data() + 24, last, sizeof last);
  return bytes;
}

std::string Frame::bytes(unsigned wanted) const {
  const Header head = header(wanted);
  std::string all(head.data(), head.size());
  all += poses;
  for (unsigned k = 0; k < 3; ++k) {
    if ((wanted & available & (1u << k)) != 0) all += parts[k];
  }
  return all;
}

Frame encodeFrame(const LabSession& session, const SceneView& view, unsigned wanted) {
  const World& world = session.world();
  Frame frame;
  frame.time = world.time();
  frame.step = static_cast<std::uint32_t>(session.steps());
  frame.available = wanted;

  const std::vector<BodyId> bodies = world.bodies();
  std::vector<std::size_t> moving;  // places in `bodies` of those that can move
  std::string slots, positions, rotations, bits;
  slots.reserve(4 * bodies.size()), positions.reserve(12 * bodies.size()), rotations.reserve(16 * bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyId body = bodies[i];
    const BodyKind kind = *world.kind(body);
    if (kind == BodyKind::Static) continue;
    moving.push_back(i);
    const BodyState state = *world.state(body);
    put(slots, body.index);
    put(positions, Vec3(state.pose.position - view.origin));
    for (int k = 0; k < 4; ++k) put(rotations, static_cast<float>(state.pose.rotation.coeffs()[k]));  // x, y, z, w
    const bool isQuarantined = world.isQuarantined(body);
    bits.push_back(static_cast<char>((!isQuarantined && !world.isAwake(body) ? kAsleep : 0) |
                                     (isQuarantined ? kQuarantined : 0) | (kind == BodyKind::Kinematic ? kKinematic : 0) |
                                     (session.pins().contains(body) ? kPinned : 0)));
  }
  bits.resize((bits.size() + 3) / 4 * 4);
  frame.bodies = static_cast<std::uint32_t>(moving.size());
  frame.poses = slots + positions + rotations + bits;

  if ((wanted & kContactsPart) != 0) frame.parts[0] = encodeContacts(world, view.origin);
  if ((wanted & (kIslandsPart | kBoxesPart)) != 0) {
    const std::vector<BodyInspection> inspections = world.inspectBodies();
    std::string islands, layers;
    for (const std::size_t i : moving) {
      put(islands, static_cast<std::int32_t>(inspections[i].island));
      put(layers, static_cast<std::int32_t>(inspections[i].layer));
    }
    if ((wanted & kIslandsPart) != 0) frame.parts[1] = islands + layers;
    if ((wanted & kBoxesPart) != 0) {
      for (const std::size_t i : moving) {
        put(frame.parts[2], Vec3(inspections[i].lower - view.origin));
        put(frame.parts[2], Vec3(inspections[i].upper - view.origin));
      }
    }
  }
  return frame;
}

}  // namespace cairn
