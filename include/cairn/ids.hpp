// Handles to what lives in a World. A handle whose object is gone is stale: it never comes to mean another object, because
// the slot's generation changes when it is reused.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace cairn {

template <class Tag>
struct Id {
  std::uint32_t index = UINT32_MAX;
  std::uint32_t generation = 0;

  bool isNull() const { return index == UINT32_MAX; }
  auto operator<=>(const Id&) const = default;
};

using BodyId = Id<struct BodyTag>;
using ShapeId = Id<struct ShapeTag>;
using JointId = Id<struct JointTag>;

}  // namespace cairn

template <class Tag>
struct std::hash<cairn::Id<Tag>> {
  std::size_t operator()(const cairn::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>{}((std::uint64_t{id.generation} << 32) | id.index);
  }
};
