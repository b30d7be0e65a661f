// Narrow phase: brings the contact of every pair up to date and carries over what the last step learnt.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "collision/broad_phase.hpp"

namespace cairn {

// Where a body is: its centre of mass and how it is turned.
struct Placement {
  Vec3 center;  // m
  Quat rotation;
};

struct NarrowPhaseInput {
  const std::vector<Collider>& colliders;
  const std::vector<Placement>& places;  // of each body, by body index
  double speculativeDistance;            // m
  double dt;                             // s
};

// Contacts that ceased to be are released; those that were touching are appended to `endings`.
void updateContacts(std::vector<Pair>& pairs, ContactCache& cache, const NarrowPhaseInput& input, const Tasks& tasks,
                    std::vector<ContactParties>& endings);

// Combined properties of two surfaces.
void mixMaterials(const Material& a, const Material& b, Contact& contact);

// How far apart (m) two shapes may be and still get contact points: what they may come closer by within dt, and a little.
double contactMargin(const Collider& a, const Collider& b, double speculativeDistance, double dt);

}  // namespace cairn
