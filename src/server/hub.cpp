#include "server/hub.hpp"

#include <fmt/format.h>

#include "cairn/contact_problem.hpp"
#include "lab/added_shapes.hpp"
#include "lab/request.hpp"
#include "scene/gallery.hpp"

namespace cairn {
namespace {

constexpr long kProtocol = 1;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

SharedText shared(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

long dynamicBodies(const SceneModel& model) {
  return std::count_if(model.bodies.begin(), model.bodies.end(),
                       [](const SceneBody& body) { return body.desc.kind == BodyKind::Dynamic; });
}

void listScene(CompactJson& out, std::string_view name, const SceneModel& model) {
  out.object("", [&] {
    out.value("name", name);
    out.value("title", model.title);
    out.value("description", model.description);
    out.value("bodies", dynamicBodies(model));
  });
}

}  // namespace

std::string helloStart(const std::string& ownScene, const SceneModel& own) {
  CompactJson out;
  out.object("", [&] {
    out.value("say", "hello");
    out.value("version", CAIRN_VERSION);
    out.value("protocol", kProtocol);
    out.list("scenes", [&] {
      if (!isGalleryName(ownScene)) listScene(out, ownScene, own);
      for (const std::string_view name : galleryNames()) listScene(out, name, openScene(std::string(name)));
    });
    out.list("steppers", [&] {
      for (const std::string_view name : stepperNames()) {
        out.object("", [&] {
          out.value("name", name);
          out.value("takesSolver", stepperTakesSolver(name));
        });
      }
    });
    out.list("solvers", [&] {
      for (const std::string_view name : solverNames()) out.value("", name);
    });
    out.list("shapes", [&] {
      for (const std::string_view name : addedShapes()) out.value("", name);
    });
  });
  std::string text = out.text();
  text.pop_back();  // the closing brace
  return text;
}

int Hub::enter(std::shared_ptr<Client> client) {
  const int id = ++lastClient_;
  Guest& guest = clients_[id];
  guest.client = std::move(client);
  guest.client->send(shared(fmt::format("{},\"client\":{}}}", hello_, id)));
  if (slow_) guest.client->send(slow_);
  simulation_->welcome(id);  // before it counts as watching: the scene must reach it before the first step
  tellAudience();
  return id;
}

void Hub::leave(int id) {
  if (clients_.erase(id) == 0) return;
  if (controls_ == id) {
    controls_.reset();
    simulation_->command(id, "release", Edit{ReleaseEdit{}}, limits_.waitingCommands);  // a body that it still pulled
  }
  tellAudience();
  tellState();
}

void Hub::closeAll(std::string_view reason) {
  for (const auto& [id, guest] : clients_) guest.client->close(reason);
}

void Hub::tellAudience() {
  unsigned parts = 0;
  for (const auto& [id, guest] : clients_) parts |= guest.parts;
  simulation_->setAudience(static_cast<int>(clients_.size()), parts);
}

void Hub::tellState() {
  if (!state_) return;
  CompactJson out;
  out.object("", [&] {
    out.value("say", "state");
    out.value("playing", state_->playing);
    out.value("speed", state_->speed);
    out.value("controls", controls_);
    out.value("clients", static_cast<long>(clients_.size()));
    out.value("time", state_->time);
    out.value("step", state_->step);
    out.list("pinned", [&] {
      for (const std::uint32_t slot : state_->pinned) out.value("", slot);
    });
    out.value("recording", state_->recording);
  });
  tellEveryone(shared(out.text()));
}

void Hub::tellEveryone(const SharedText& text) {
  for (const auto& [id, guest] : clients_) {
    if (guest.isWelcome) guest.client->send(text);
  }
}

void Hub::tellStats(const SharedText& text) {
  for (const auto& [id, guest] : clients_) {
    if (guest.isWelcome && !guest.client->isBusy()) guest.client->send(text);
  }
}

void Hub::drained(int id) {
  if (const auto found = clients_.find(id); found != clients_.end()) offerFrame(found->second);
}

void Hub::tellOne(int id, const SharedText& text) {
  if (const auto found = clients_.find(id); found != clients_.end()) found->second.client->send(text);
}

void Hub::welcome(int id, const SharedText& scene) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  found->second.isWelcome = true;
  found->second.client->send(scene);
}

void Hub::newScene(const SharedText& text, SimulationState state) {
  frame_ = nullptr;
  tellEveryone(text);
  newState(std::move(state));
}

void Hub::newState(SimulationState state) {
  state_ = std::move(state);
  tellState();
}

void Hub::newFrame(std::shared_ptr<const Frame> frame) {
  frame_ = std::move(frame);
  for (auto& [id, guest] : clients_) offerFrame(guest);
}

void Hub::newSlow(std::optional<double> seconds) {
  CompactJson out;
  out.object("", [&] {
    out.value("say", "slow");
    out.value("seconds", seconds.value_or(0.0));
  });
  const SharedText text = shared(out.text());
  slow_ = seconds ? text : nullptr;
  for (const auto& [id, guest] : clients_)
    if (!seconds || !guest.client->isBusy()) guest.client->send(text);
}

void Hub::offerFrame(Guest& guest) {
  if (!frame_ || !guest.isWelcome || guest.sent.size() >= limits_.unacknowledged || guest.client->isBusy()) return;
  if (guest.lastSent == frame_->number) return;
  guest.lastSent = frame_->number;
  guest.sent.insert(frame_->number);
  guest.client->send(frame_, guest.parts);
}

void Hub::problem(Guest& guest, std::string_view text, std::string_view about) {
  CompactJson out;
  out.object("", [&] {
    out.value("say", "problem");
    out.value("text", text);
    out.value("about", about);
  });
  guest.client->send(shared(out.text()));
}

void Hub::receive(int id, std::string_view message) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Guest& guest = found->second;
  const Clock::time_point now = Clock::now();
  if (now - guest.second >= std::chrono::seconds(1)) {
    guest.second = now;
    guest.messages = 0;
  }
  if (++guest.messages > limits_.messagesPerSecond) {
    const std::shared_ptr<Client> client = guest.client;
    leave(id);
    return client->close(fmt::format("more than {} messages in a second", limits_.messagesPerSecond));
  }
  try {
    NamedRequest named = readRequest(message);
    std::visit(Overloaded{[&](const AckRequest& ack) {
                            guest.sent.erase(guest.sent.begin(), guest.sent.upper_bound(ack.frame));
                            offerFrame(guest);
                          },
                          [&](const SeeRequest& see) {
                            guest.parts = see.parts;
                            tellAudience();
                          },
                          [&](const TakeControl&) { takeControls(id, guest); },
                          [&](const YieldControl&) {
                            if (controls_ != id) return;
                            controls_.reset();
                            tellState();
                          },
                          [&](ControlRequest& request) { doControlled(id, guest, named.name, std::move(request)); }},
               named.request);
  } catch (const BadRequest& error) {
    problem(guest, error.what(), error.about());
  }
}

void Hub::takeControls(int id, Guest& guest) {
  if (controls_ && controls_ != id) {
    const auto idle = Clock::now() - clients_.at(*controls_).lastDeed;
    if (idle < limits_.controlsIdle) {
      return problem(guest,
                     fmt::format("client {} holds the controls; allowed: when it gives them away or has been idle for {} s",
                                 *controls_, std::chrono::duration_cast<std::chrono::seconds>(limits_.controlsIdle).count()),
                     "control");
    }
  }
  controls_ = id;
  guest.lastDeed = Clock::now();
  tellState();
}

void Hub::doControlled(int id, Guest& guest, const std::string& name, ControlRequest request) {
  if (!controls_) takeControls(id, guest);
  if (controls_ != id) {
    return problem(guest, fmt::format("client {} holds the controls; allowed: to ask for them first", *controls_), name);
  }
  guest.lastDeed = Clock::now();
  if (!simulation_->command(id, name, std::move(request), limits_.waitingCommands)) {
    problem(guest, "the simulation is behind with what it was asked to do; this was dropped", name);
  }
}

}  // namespace cairn
