// What a person may want to see of the last step.
#include "geometry/shape.hpp"
#include "steppers/stack_layers.hpp"
#include "world/state.hpp"

namespace cairn {

std::vector<TouchPoint> World::touchPoints() const {
  std::vector<TouchPoint> found;
  const System& system = impl_->state.system;
  forEachContact(system, [&](std::uint32_t slot) {
    if ((system.contacts.touch[slot] & Touch::kTold) == 0) return;
    const Contact& contact = system.contacts.slots[slot];
    float load = 0.0f;
    for (int i = 0; i < contact.count; ++i) load += contact.points[i].totalImpulse;
    for (int i = 0; i < contact.count; ++i) {
      const ContactPoint& point = contact.points[i];
      const float share = load > 0.0f ? point.totalImpulse / load : 0.0f;
      TouchPoint& out = found.emplace_back();
      out.bodyA = impl_->idOf(contact.bodyA);
      out.bodyB = impl_->idOf(contact.bodyB);
      out.point = impl_->places[contact.bodyA].center + contact.anchorA(i).cast<double>();
      out.normal = contact.normal.cast<double>();
      out.impulse = (point.totalImpulse * contact.normal + share * contact.totalFriction).cast<double>();
      out.gap = point.separation;
      out.friction = contact.friction;
    }
  });
  return found;
}

std::vector<BodyInspection> World::inspectBodies() const {
  const System& system = impl_->state.system;
  const std::vector<int> layers = stackHeights(system);
  std::vector<BodyInspection> found;
  for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
    const Body& body = system.bodies[i];
    if (!body.alive) continue;
    BodyInspection& out = found.emplace_back();
    if (body.island != kNone && body.isDynamic()) out.island = static_cast<int>(body.island);
    out.layer = layers[i];
    bool any = false;
    for (std::uint32_t c = body.firstCollider; c != kNone; c = system.colliders[c].next) {
      const Collider& collider = system.colliders[c];
      if (collider.shape.type == ShapeType::Plane) continue;
      const Aabb box = boundingBox(collider.shape, Pose{body.center, body.rotation} * collider.local);
      out.lower = any ? out.lower.cwiseMin(box.lower).eval() : box.lower;
      out.upper = any ? out.upper.cwiseMax(box.upper).eval() : box.upper;
      any = true;
    }
  }
  return found;
}

}  // namespace cairn
