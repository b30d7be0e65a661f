// A system of bodies and contacts made by hand, without a World: for tests of the parts of `soft`.
#pragma once

#include <vector>

#include "base/phase_timer.hpp"
#include "base/tasks.hpp"
#include "cairn/contact_problem.hpp"
#include "dynamics/colouring.hpp"
#include "dynamics/islands.hpp"
#include "mechanics/stepper.hpp"
#include "soft/memory.hpp"
#include "soft/sweep/bodies.hpp"

namespace cairn::hand_made {

class HandMade {
 public:
  System system;
  WorldSettings settings;
  StepReport report;
  std::vector<ContactEnds> contacts;  // with the batch's numbers of the bodies, see batch()

  // The body that all others may stand on: it is at the origin and cannot be moved.
  std::uint32_t addGround() {
    Body& body = system.bodies.emplace_back();
    body.kind = BodyKind::Static;
    body.alive = true;
    return static_cast<std::uint32_t>(system.bodies.size() - 1);
  }

  // A box along the axes, with the moments that a box has.
  std::uint32_t addBox(const Vec3& center, const Vec3& size, double mass) {
    Body& body = system.bodies.emplace_back();
    body.kind = BodyKind::Dynamic;
    body.alive = true;
    body.center = center;
    body.mass = mass;
    body.inverseMass = 1.0 / mass;
    const Vec3 square = size.cwiseProduct(size);
    const Vec3 moments = mass / 12.0 * (square.sum() * Vec3::Ones() - square);
    body.inertia = moments.asDiagonal();
    body.inverseInertia = moments.cwiseInverse().asDiagonal();
    body.anisotropy = 1.0 - moments.minCoeff() / moments.maxCoeff();
    body.size = static_cast<float>(0.5 * size.norm());
    body.thickness = static_cast<float>(size.minCoeff());
    return static_cast<std::uint32_t>(system.bodies.size() - 1);
  }

  // The patch between the top of `a` and the bottom of `b`: the corners of a rectangle of the given size below b's centre,
  // at the height z, that far apart (m), each with an impulse (N s) of the last step.
  Contact& addPatch(std::uint32_t a, std::uint32_t b, double z, double width, double depth, double separation = 0.0,
                    double impulse = 0.0) {
    const std::uint32_t slot = system.contacts.acquire(a, b);
    system.contacts.inUse.push_back(slot);
    Contact& contact = system.contacts.slots[slot];
    const Vec3 &centerA = system.bodies[a].center, &centerB = system.bodies[b].center;
    contact.count = 4;
    contact.friction = 0.5f;
    contact.normal = Float3::UnitZ();
    contact.between = (centerA - centerB).cast<float>();
    for (int i = 0; i < 4; ++i) {
      const Vec3 corner(centerB.x() + (i % 2 == 0 ? -0.5 : 0.5) * width, centerB.y() + (i < 2 ? -0.5 : 0.5) * depth, z);
      contact.points[i].anchor = (corner - centerA).cast<float>();
      contact.points[i].separation = static_cast<float>(separation);
      contact.points[i].normalImpulse = contact.points[i].totalImpulse = static_cast<float>(impulse);
    }
    return contact;
  }

  // Numbers the islands.
  void findIslands() { report.islands = cairn::findIslands(system, tasks_, scratch_); }

  // All bodies that can be moved in one batch, in their order; fills `contacts`.
  SoftBodies batch() {
    SoftBodies bodies;
    std::vector<std::uint32_t> number(system.bodies.size(), kNone);
    for (std::uint32_t i = 0; i < system.bodies.size(); ++i) {
      if (!system.bodies[i].isDynamic()) continue;
      number[i] = static_cast<std::uint32_t>(bodies.movable.size());
      bodies.movable.push_back(i);
    }
    const auto numberOf = [&](std::uint32_t body) { return number[body] == kNone ? bodies.ground() : number[body]; };
    contacts.clear();
    for (const std::uint32_t slot : system.contacts.inUse) {
      const auto [a, b] = system.contacts.ends[slot];
      contacts.push_back({slot, numberOf(a), numberOf(b), system.contacts.slots[slot].count, 0});
    }
    return bodies;
  }

  StepContext context() {
    SoftMemory& memory = system.stepperMemory.as<SoftMemory>();
    memory.solvedDirectly.resize(system.contacts.slots.size());
    memory.makeRoom(system);
    return {system, settings, tasks_, report, timer_, problems_, impacts_, 0.0};
  }

  double energy() const {  // J
    double sum = 0.0;
    for (const Body& body : system.bodies) {
      if (!body.isDynamic()) continue;
      const Vec3 local = body.rotation.conjugate() * body.spin;
      sum += 0.5 * body.mass * body.velocity.squaredNorm() + 0.5 * local.dot(body.inertia * local) -
             body.mass * settings.gravity.dot(body.center);
    }
    return sum;
  }

 private:
  Tasks tasks_;
  IslandScratch scratch_;
  PhaseTimer timer_{report.phaseMs};
  std::vector<StepProblem> problems_;
  std::vector<ImpactRecord> impacts_;
};

// A column of cubes with an edge of 1 m and a mass of 1 kg on the ground, with the impulses of a step of `dt` at rest.
inline void addColumn(HandMade& world, int cubes, double dt, double x = 0.0) {
  std::uint32_t below = world.system.bodies.empty() ? world.addGround() : 0;
  for (int i = 0; i < cubes; ++i) {
    const std::uint32_t cube = world.addBox({x, 0.0, i + 0.5}, Vec3::Ones(), 1.0);
    world.addPatch(below, cube, i, 1.0, 1.0, 0.0, 0.25 * (cubes - i) * 9.81 * dt);
    below = cube;
  }
  world.system.impulseSeconds = dt;
}

}  // namespace cairn::hand_made
