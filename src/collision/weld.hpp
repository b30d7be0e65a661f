// Contacts of a moving body with several immovable shapes that abut: tiles, meshes beside each other, children of a compound.
//
// The proximal normal test (see surface_contact.hpp), across shapes: a contact is real if a ball of radius weldDistance can
// touch the union of the shapes at one of its points. Those that fail (the seam of two tiles, the side of a tile that the
// next one hides) take the face of the same shape that passes and is nearest to their normal, and are dropped if there is
// none, or if another contact has that plane already.
#pragma once

#include <vector>

#include "base/tasks.hpp"
#include "collision/contact.hpp"

namespace cairn {

// A contact of a body that moves with a shape that does not, as the narrow phase has just made it.
struct FreshContact {
  std::uint32_t body = kNone;  // the one that moves
  std::uint32_t slot = kNone;
  std::uint32_t pair = kNone;  // in the table
  bool isKept = false;         // it is as it was: its manifold and what is below are not given
  Manifold manifold;
  Contact before;              // as the last step left it
  std::array<std::uint32_t, kManifoldPoints> features{};
};

// What becomes of a contact.
struct Welded {
  std::uint32_t contact = 0;  // in the list of fresh ones
  bool isDropped = false;
  Manifold manifold;
};

// For contacts of one body, in any order: appends what is to be changed. Does not allocate once vectors have grown.
void weldContacts(const std::vector<const FreshContact*>& fresh, const std::uint32_t* members, std::size_t count,
                  const std::vector<Collider>& colliders, const ContactCache& cache, double weldDistance, double margin,
                  std::vector<Welded>& changes);

}  // namespace cairn
