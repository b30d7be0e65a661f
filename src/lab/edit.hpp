// The edits: everything that a person can do to a scene in motion. The one list from which the WebSocket's messages, the
// log and its replay are made; docs/lab-protocol.md describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cairn/math.hpp"
#include "lab/message_reader.hpp"
#include "scene/json_text.hpp"

namespace cairn {

// A setting as --set takes it (settings.*), or dt, friction, restitution.
struct SetEdit {
  std::string key, value;
  bool operator==(const SetEdit&) const = default;
};
// A spring from a point of the body to a point of the world; in place of the one before.
struct GrabEdit {
  std::string body;
  Vec3 at = Vec3::Zero();  // m, in the body's frame
  Vec3 to = Vec3::Zero();  // m, world
  bool operator==(const GrabEdit&) const = default;
};
struct DragEdit {
  Vec3 to = Vec3::Zero();  // m, world
  bool operator==(const DragEdit&) const = default;
};
struct ReleaseEdit {
  bool operator==(const ReleaseEdit&) const = default;
};
struct ThrowEdit {
  Vec3 from = Vec3::Zero();      // m
  Vec3 velocity = Vec3::Zero();  // m/s
  double radius = 0.25;          // m
  double density = 2000.0;       // kg/m^3
  bool operator==(const ThrowEdit&) const = default;
};
struct AddEdit {
  std::string shape;       // one of addedShapes()
  Vec3 at = Vec3::Zero();  // m
  double size = 0.5;       // m
  bool operator==(const AddEdit&) const = default;
};
struct PinEdit {
  std::string body;
  bool operator==(const PinEdit&) const = default;
};
struct UnpinEdit {
  std::string body;
  bool operator==(const UnpinEdit&) const = default;
};
struct DeleteEdit {
  std::string body;
  bool operator==(const DeleteEdit&) const = default;
};

using Edit = std::variant<SetEdit, GrabEdit, DragEdit, ReleaseEdit, ThrowEdit, AddEdit, PinEdit, UnpinEdit, DeleteEdit>;

inline constexpr std::size_t kMaximumNameBytes = 1000;
inline constexpr std::size_t kMaximumKeyBytes = 100;
inline constexpr std::size_t kMaximumValueBytes = 1000;

// "set", "grab", ...: what stands in a message's "do".
std::string_view nameOf(const Edit& edit);
// The edit that the message is, or none if its "do" names no edit. Throws BadMessage.
std::optional<Edit> readEdit(std::string_view name, const MessageReader& message);
// The members of the message, "do" first: call within an object. Reads back to the bit.
void writeEdit(CompactJson& out, const Edit& edit);
std::string editText(const Edit& edit);  // the whole message

}  // namespace cairn
