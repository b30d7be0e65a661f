// Everything that makes up the state of a simulation, as one value: copying it is a snapshot, exact to the bit.
#pragma once

#include <vector>

#include "cairn/settings.hpp"
#include "collision/broad_phase.hpp"
#include "dynamics/body.hpp"
#include "dynamics/contact_memory.hpp"
#include "dynamics/joint.hpp"
#include "dynamics/mechanism.hpp"
#include "dynamics/stepper_memory.hpp"

namespace cairn {

// Whether Body::island is known, how many islands there are, and how many bodies in them.
struct IslandsFound {
  bool known = false;
  int count = 0;
  std::size_t bodies = 0;
};

struct System {
  std::vector<Body> bodies;         // by BodyId::index; holes are not alive
  std::vector<Collider> colliders;  // by ShapeId::index
  std::vector<Joint> joints;        // by JointId::index
  std::vector<Mechanism> mechanisms;  // by ArticulationId::index
  std::vector<Material> materials;  // by Collider::material: every surface there is, most of them shared
  std::vector<BodyExtras> extras;   // by Body::extras
  BroadPhase broad;
  ContactCache contacts;
  IslandsFound islands;
  StepMemory memory;
  double impulseSeconds = 0.0;  // s: the time that the stored impulses belong to
  StepperMemoryHolder stepperMemory;
};

// Calls use(slot) for every contact, in the order of the pairs and their children.
template <class Use>
void forEachContact(const System& system, Use&& use) {
  for (const Pair& pair : system.broad.pairs) system.contacts.forEachOf(pair, use);
}

// How a point of a contact is known from step to step.
inline ContactKey contactKey(const System& system, std::uint32_t slot, std::uint32_t feature) {
  const Contact& contact = system.contacts.slots[slot];
  return {pairKey(contact.colliderA, contact.colliderB), {system.contacts.links[slot].children, feature}};
}

}  // namespace cairn
