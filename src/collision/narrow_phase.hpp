// Narrow phase: brings the contact of every pair up to date and carries over what the last step learnt.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "collision/broad_phase.hpp"

namespace cairn {

// What tells of most pairs that nothing can have come of them, close together.
struct ColliderGate {
  double travel = 0.0;  // m, as in Collider
  double reach = 0.0;   // m that any point of it may move within the step
  double ball = 0.0;    // m, its radius if it is a sphere about its body's centre of mass, else 0
  float radius = 0.0f;  // m
  bool dynamic = false, active = false;
  bool flat = false;       // manifolds of two such are kept
  bool edited = false;     // since the last step
  bool composite = false;  // it has more than one child
};
ColliderGate gateOf(const Collider& collider, double dt);

// Manifolds of two colliders of which one is composite, visited like those of touch(); of `only` these children, if given.
using TouchColliders = double (*)(const Collider& a, const Collider& b, const Children* only, double margin, Manifold& room,
                                  ManifoldVisitor visit);
double touchColliders(const Collider& a, const Collider& b, const Children* only, double margin, Manifold& room,
                      ManifoldVisitor visit);

struct NarrowPhaseInput {
  const std::vector<Collider>& colliders;
  const std::vector<ColliderGate>& gates;      // of each collider
  const std::vector<Placement>& places;        // of each body, by body index
  const std::vector<Material>& materials;      // by Collider::material
  const std::vector<MaterialPair>& pairs;      // exceptions to the mixing of materials
  double speculativeDistance;                  // m
  double dt;                                   // s
  bool anyComposite = false;                   // among the gates
  TouchColliders composites = touchColliders;  // tests have shapes of their own
};

// Buffers that a step reuses; nothing in them outlives it.
struct NarrowPhaseScratch {
  // By piece of the table of pairs.
  std::vector<std::uint8_t> marks;      // what there is to do
  std::vector<std::uint32_t> contacts;  // how many it has; where the first goes
  std::vector<std::uint32_t> begun;     // contacts that are there since this step
  // Children that are to get a contact, in the order of their pairs. Empty while all shapes are convex.
  struct Wanted {
    std::uint32_t pair;  // in the table
    Children children;
  };
  std::vector<std::vector<Wanted>> wanted;
};

// Contacts that ceased to be are released; those that were touching are appended to `endings`.
void updateContacts(std::vector<Pair>& pairs, ContactCache& cache, const NarrowPhaseInput& input, const Tasks& tasks,
                    NarrowPhaseScratch& scratch, std::vector<ContactParties>& endings);

// Combined properties of two surfaces. The axis of friction is left to the caller, as it belongs to one of the two.
Material mixMaterials(const Material& a, const Material& b, const std::vector<MaterialPair>& pairs);

// How far apart (m) two shapes may be and still get contact points: what they may come closer by within dt, and a little.
double contactMargin(const Collider& a, const Collider& b, double speculativeDistance, double dt);

}  // namespace cairn
