#include "lab/edit.hpp"

#include "lab/describe.hpp"

namespace cairn {
namespace {

// Wider than any scene has a use for, narrow enough that nothing downstream overflows. The world has the last word.
constexpr NumberRange kPlace{-1e7, 1e7, "m"};
constexpr NumberRange kSpeed{-1e5, 1e5, "m/s"};
constexpr NumberRange kSize{1e-3, 1e3, "m"};
constexpr NumberRange kDensity{1e-3, 1e6, "kg/m^3"};

constexpr std::string_view kEditNames[] = {"set", "grab", "drag", "release", "throw", "add", "pin", "unpin", "delete"};
static_assert(std::size(kEditNames) == std::variant_size_v<Edit>);

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

}  // namespace

std::string_view nameOf(const Edit& edit) { return kEditNames[edit.index()]; }

std::optional<Edit> readEdit(std::string_view name, const MessageReader& message) {
  const auto body = [&] { return message.text("body", kMaximumNameBytes); };
  if (name == "set") return SetEdit{message.text("key", kMaximumKeyBytes), message.value("value", kMaximumValueBytes)};
  if (name == "grab") return GrabEdit{body(), message.vector("at", kPlace), message.vector("to", kPlace)};
  if (name == "drag") return DragEdit{message.vector("to", kPlace)};
  if (name == "release") return ReleaseEdit{};
  if (name == "throw") {
    ThrowEdit edit{message.vector("from", kPlace), message.vector("velocity", kSpeed)};
    if (message.has("radius")) edit.radius = message.number("radius", kSize);
    if (message.has("density")) edit.density = message.number("density", kDensity);
    return edit;
  }
  if (name == "add") {
    AddEdit edit{message.text("shape", kMaximumKeyBytes), message.vector("at", kPlace)};
    if (message.has("size")) edit.size = message.number("size", kSize);
    return edit;
  }
  if (name == "pin") return PinEdit{body()};
  if (name == "unpin") return UnpinEdit{body()};
  if (name == "delete") return DeleteEdit{body()};
  return std::nullopt;
}

void writeEdit(CompactJson& out, const Edit& edit) {
  out.value("do", nameOf(edit));
  std::visit(Overloaded{[&](const SetEdit& one) {
                          out.value("key", one.key);
                          out.value("value", one.value);
                        },
                        [&](const GrabEdit& one) {
                          out.value("body", one.body);
                          describeVector(out, "at", one.at);
                          describeVector(out, "to", one.to);
                        },
                        [&](const DragEdit& one) { describeVector(out, "to", one.to); }, [&](const ReleaseEdit&) {},
                        [&](const ThrowEdit& one) {
                          describeVector(out, "from", one.from);
                          describeVector(out, "velocity", one.velocity);
                          out.value("radius", one.radius);
                          out.value("density", one.density);
                        },
                        [&](const AddEdit& one) {
                          out.value("shape", one.shape);
                          describeVector(out, "at", one.at);
                          out.value("size", one.size);
                        },
                        [&](const PinEdit& one) { out.value("body", one.body); },
                        [&](const UnpinEdit& one) { out.value("body", one.body); },
                        [&](const DeleteEdit& one) { out.value("body", one.body); }},
             edit);
}

std::string editText(const Edit& edit) {
  CompactJson out;
  out.object("", [&] { writeEdit(out, edit); });
  return out.text();
}

}  // namespace cairn
