#include "lab/request.hpp"

#include <fmt/format.h>

#include "lab/frame.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr std::size_t kMostOverrides = 100;

std::vector<std::string_view> requestNames() {
  return {"ack",    "see", "control", "yield", "play",    "pause", "step", "restart", "load",  "speed",
          "record", "set", "grab",    "drag",  "release", "throw", "add",  "pin",     "unpin", "delete"};
}

SeeRequest readSee(const MessageReader& message) {
  unsigned parts = 0;
  if (message.truth("contacts", false)) parts |= kContactsPart;
  if (message.truth("islands", false)) parts |= kIslandsPart;
  if (message.truth("boxes", false)) parts |= kBoxesPart;
  return {parts};
}

LoadRequest readLoad(const MessageReader& message) {
  LoadRequest load{message.text("scene", kMaximumNameBytes), {}};
  for (auto& [key, value] : message.values("set", kMostOverrides, kMaximumValueBytes)) {
    load.set.push_back({std::move(key), std::move(value)});
  }
  return load;
}

SpeedRequest readSpeed(const MessageReader& message) {
  const double value = message.number("value", {0.0, kFastest, "simulated seconds in a second, 0 for as many as possible"});
  return {value == 0.0 ? 0.0 : std::max(value, kSlowest)};
}

Request readNamed(const std::string& name, const MessageReader& message) {
  if (name == "ack") return AckRequest{static_cast<std::uint32_t>(message.whole("frame", 0, UINT32_MAX))};
  if (name == "see") return readSee(message);
  if (name == "control") return TakeControl{};
  if (name == "yield") return YieldControl{};
  if (name == "play") return ControlRequest{PlayRequest{}};
  if (name == "pause") return ControlRequest{PauseRequest{}};
  if (name == "step") {
    const long count = message.has("count") ? message.whole("count", 1, kMostStepsAtOnce) : 1;
    return ControlRequest{StepRequest{static_cast<int>(count)}};
  }
  if (name == "restart") return ControlRequest{RestartRequest{}};
  if (name == "load") return ControlRequest{readLoad(message)};
  if (name == "speed") return ControlRequest{readSpeed(message)};
  if (name == "record") return ControlRequest{RecordRequest{message.truth("on", true)}};
  if (auto edit = readEdit(name, message)) return ControlRequest{std::move(*edit)};
  const auto names = requestNames();
  throw BadMessage(fmt::format("do: found \"{}\"{}{} allowed: {}", name, suggestion(name, names),
                               nearestName(name, names).empty() ? ";" : "", listNames(names)));
}

}  // namespace

NamedRequest readRequest(std::string_view text) {
  std::string name;
  try {
    const MessageReader message(text);
    name = message.text("do", kMaximumKeyBytes);
    Request request = readNamed(name, message);
    return {std::move(name), std::move(request)};
  } catch (const BadMessage& error) {
    throw BadRequest(error.what(), name);
  }
}

}  // namespace cairn
