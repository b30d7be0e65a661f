// Narrow phase: brings the contact of every pair up to date and carries over what the last step learnt.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "collision/broad_phase.hpp"
#include "collision/surface_contact.hpp"
#include "collision/weld.hpp"

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

// Manifolds of two colliders of which one is composite, visited like those of touch().
using TouchColliders = double (*)(const Collider& a, const Collider& b, const TouchHints& hints, double margin,
                                  Manifold& room, ManifoldVisitor visit);
double touchColliders(const Collider& a, const Collider& b, const TouchHints& hints, double margin, Manifold& room,
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
  double weldDistance = 2e-3;                  // m, see weld.hpp; 0: contacts are taken as they are
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
    Manifold manifold;
  };
  std::vector<std::vector<Wanted>> wanted;
  // By contact that is there since this step: its pair, and the one of `wanted` that has its manifold, if any.
  struct Begun {
    std::uint32_t pair;
    const Wanted* wanted;
  };
  std::vector<Begun> beginnings;
  // Contacts of moving bodies with immovable shapes: by piece, all of them, and those of one body after another.
  std::vector<std::vector<FreshContact>> freshByPiece;
  std::vector<const FreshContact*> fresh;
  struct Member {
    std::uint32_t body, contact;
  };
  std::vector<Member> members;
  std::vector<std::uint32_t> contactsOfBodies;
  std::vector<std::uint32_t> bodies;  // where each begins in contactsOfBodies, and the end
  std::vector<std::vector<Welded>> welded;
  std::vector<double> midPhaseSeconds;  // by piece
  double midPhase = 0.0;                // s, of all threads together
};

// Contacts that ceased to be are released; those that were touching are appended to `endings`.
void updateContacts(std::vector<Pair>& pairs, ContactCache& cache, const NarrowPhaseInput& input, const Tasks& tasks,
                    NarrowPhaseScratch& scratch, std::vector<ContactParties>& endings);

// Combined properties of two surfaces. The axis of friction is left to the caller, as it belongs to one of the two.
Material mixMaterials(const Material& a, const Material& b, const std::vector<MaterialPair>& pairs);

// How far apart (m) two shapes may be and still get contact points: what they may come closer by within dt, and a little.
double contactMargin(const Collider& a, const Collider& b, double speculativeDistance, double dt);

}  // namespace cairn
