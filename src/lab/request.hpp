// Everything that a client may ask for, as one list: docs/lab-protocol.md, "From the client".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/edit.hpp"
#include "scene/scene_file.hpp"

namespace cairn {

// About the client itself.
struct AckRequest {
  std::uint32_t frame = 0;
};
struct SeeRequest {
  unsigned parts = 0;  // bits as in lab/frame.hpp
};
struct TakeControl {};
struct YieldControl {};

// About the simulation; these and the edits need the controls.
struct PlayRequest {};
struct PauseRequest {};
struct StepRequest {
  int count = 1;
};
struct RestartRequest {};
struct LoadRequest {
  std::string scene;
  std::vector<Override> set;
};
struct SpeedRequest {
  double value = 1.0;  // simulated seconds in a second; 0: as many as the machine can
};
struct RecordRequest {
  bool on = false;
};

using ControlRequest =
    std::variant<PlayRequest, PauseRequest, StepRequest, RestartRequest, LoadRequest, SpeedRequest, RecordRequest, Edit>;
using Request = std::variant<AckRequest, SeeRequest, TakeControl, YieldControl, ControlRequest>;

inline constexpr int kMostStepsAtOnce = 1000;
inline constexpr double kSlowest = 0.001, kFastest = 1000.0;  // simulated seconds in a second

struct NamedRequest {
  std::string name;  // the message's "do"
  Request request;
};
// A bad message says what it was about as far as that could be read.
class BadRequest : public BadMessage {
 public:
  BadRequest(const std::string& text, std::string about) : BadMessage(text), about_(std::move(about)) {}
  const std::string& about() const { return about_; }

 private:
  std::string about_;
};
NamedRequest readRequest(std::string_view message);  // throws BadRequest

}  // namespace cairn
