#include "server/simulation.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cairn {
namespace {

std::string messageText(std::string_view what, std::string_view text, std::string_view about) {
  CompactJson out;
  out.object("", [&] {
    out.value("say", what);
    out.value("text", text);
    if (!about.empty()) out.value("about", about);
  });
  return out.text();
}

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

// What a step that takes long must not keep waiting. Pulling and throwing bodies means nothing without steps.
bool isUrgent(const ControlRequest& request) {
  if (const Edit* edit = std::get_if<Edit>(&request))
    return std::holds_alternative<SetEdit>(*edit) || std::holds_alternative<DeleteEdit>(*edit);
  return std::holds_alternative<PauseRequest>(request) || std::holds_alternative<RestartRequest>(request) ||
         std::holds_alternative<LoadRequest>(request) || std::holds_alternative<RecordRequest>(request);
}

SharedText shared(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

}  // namespace

Simulation::Simulation(SimulationOptions options, SimulationEvents events)
    : events_(std::move(events)),
      startPath_(options.scene.origin.scene),
      startName_(options.scene.model.name),
      scene_(std::move(options.scene)),
      playing_(options.playing),
      logPath_(std::move(options.log)),
      limits_(options.limits),
      watch_(options.limits, [this](std::optional<double> seconds) { events_.slow(seconds); }) {
  begin(scene_);
  if (logPath_) openLog(*logPath_, false);
}

Simulation::~Simulation() { stop(); }

void Simulation::start() {
  thread_ = std::thread([this] { loop(); });
}

void Simulation::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  watch_.stopForGood();
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  writeLog([&] { log_->close(); });
  log_.reset();
}

bool Simulation::command(int client, const std::string& name, ControlRequest request, std::size_t mostWaiting) {
  const std::lock_guard lock(mutex_);
  // A mouse moves faster than slow steps come; only where it is now matters.
  if (const Edit* edit = std::get_if<Edit>(&request); edit && std::holds_alternative<DragEdit>(*edit) && !inbox_.empty()) {
    ControlRequest* last = std::get_if<ControlRequest>(&inbox_.back().what);
    const Edit* lastEdit = last ? std::get_if<Edit>(last) : nullptr;
    if (lastEdit && std::holds_alternative<DragEdit>(*lastEdit) && inbox_.back().client == client) {
      *last = std::move(request);
      return true;
    }
  }
  if (inbox_.size() >= mostWaiting) return false;
  if (isUrgent(request)) watch_.hurry(kPatience);
  inbox_.push_back({client, name, std::move(request)});
  wake_.notify_all();
  return true;
}

void Simulation::welcome(int client) {
  const std::lock_guard lock(mutex_);
  watch_.hurry(newcomerPatience_);
  inbox_.push_back({client, {}, Welcome{}});
  wake_.notify_all();
}

void Simulation::setNewcomerPatience(std::chrono::milliseconds patience) {
  if (patience == newcomerPatience_) return;  // only this thread writes it
  const std::lock_guard lock(mutex_);
  newcomerPatience_ = patience;
}

void Simulation::setAudience(int watching, unsigned parts) {
  watching_ = watching;
  parts_ = parts;
  const std::lock_guard lock(mutex_);
  audienceChanged_ = true;
  wake_.notify_all();
}

void Simulation::loop() {
  pace_.start(Clock::now());
  bool wasRunning = false;
  for (;;) {
    std::vector<Command> commands;
    const bool isRunning = (playing_ && watching_ > 0) || stepsAsked_ > 0;
    if (isRunning && !wasRunning) pace_.start(Clock::now());
    wasRunning = isRunning;
    {
      std::unique_lock lock(mutex_);
      const auto isCalled = [&] { return stopping_ || audienceChanged_ || !inbox_.empty(); };
      constexpr double kRest = 0.1;  // s: what a simulation at rest still has to say is said by then
      Clock::time_point until = isRunning && stepsAsked_ == 0 ? pace_.due() : Clock::now() + seconds(kRest);
      if (stepsAsked_ > 0) until = Clock::now();
      if (frameIsStale_ && watching_ > 0) until = std::min(until, frameRate_.due());
      wake_.wait_until(lock, until, isCalled);
      if (stopping_) return;
      audienceChanged_ = false;
      commands.swap(inbox_);
      watch_.calm();
    }
    try {
      for (const Command& command : commands) handle(command);
      work(Clock::now());
    } catch (const std::exception& error) {  // too little memory for a frame, most likely; the next may be smaller
      playing_ = false;
      stepsAsked_ = 0;
      frameIsStale_ = false;
      say(0, "refusal", fmt::format("The simulation had to stop: {}", error.what()));
      tellState();
    }
  }
}

void Simulation::work(Clock::time_point now) {
  if (stepsAsked_ > 0) {
    const long before = session_->steps();
    step();
    const bool wasDone = session_->steps() > before;  // not stopped, not refused
    if (wasDone && --stepsAsked_ == 0) tellState();
  } else if (playing_ && watching_ > 0 && now >= pace_.due()) {
    step();
    pace_.stepped(session_->settings().dt, speed_, Clock::now());
  }
  tellChanges();
  publish(Clock::now());
}

void Simulation::step() {
  const Clock::time_point before = Clock::now();
  const bool isAudited = stats_.wantsResidual(before);
  StepReport report;
  try {
    session_->setAudit(isAudited ? Audit::Residual : Audit::None);
    watch_.begin();
    report = session_->step();
    watch_.end();
  } catch (const std::exception& error) {  // a body that comes now cannot be built, or memory ran out
    watch_.end();
    playing_ = false;
    stepsAsked_ = 0;
    say(0, "refusal", error.what());
    return tellState();
  }
  stepSeconds_ = {stepSeconds_[1], Seconds(Clock::now() - before).count()};
  if (report.status == StepStatus::Stopped) return afterStopped();
  setNewcomerPatience(kNewcomerPatience);
  addedSinceStep_ = 0;
  contacts_ = report.contacts;
  if (report.status != StepStatus::Ok) {
    writeLog([&] { log_->refused(session_->steps(), report.refusal()); });
    playing_ = false;
    stepsAsked_ = 0;
    say(0, "refusal", report.refusal());
    return tellState();
  }
  writeLog([&] { log_->step(session_->steps(), session_->stateHash()); });
  stats_.afterStep(report, Seconds(Clock::now() - before).count(), isAudited);
  for (const Quarantine& one : report.quarantined) {
    say(0, "notice", fmt::format("\"{}\" was quarantined: {}", one.name, one.reason));
  }
  frameIsStale_ = true;
}

// Nothing has happened: what was in a hurry is done, and then the step is tried again.
void Simulation::afterStopped() {
  if (!watch_.tookTooMuch()) {
    // Whoever comes again and again must not keep a step from ever being done.
    return setNewcomerPatience(std::min(2 * newcomerPatience_, std::chrono::milliseconds(std::chrono::hours(1))));
  }
  playing_ = false;
  stepsAsked_ = 0;
  say(0, "refusal",
      fmt::format("The step needed more than {:.2g} GB of memory and was stopped. Delete bodies, choose another method or "
                  "restart the scene.",
                  1e-9 * static_cast<double>(limits_.memory)));
  tellState();
}

void Simulation::tellChanges() {
  const LabSession::Changes changes = session_->takeChanges();
  if (!changes.any()) return;
  sceneText_ = nullptr;
  frameIsStale_ = true;
  describer_->writeHullsWhole();
  CompactJson out;
  out.object("", [&] {
    out.value("say", "bodies");
    out.value("epoch", epoch_);
    out.list("remove", [&] {
      for (const std::uint32_t slot : changes.removed) out.value("", slot);
    });
    out.list("add", [&] {
      for (const BodyId body : changes.added) describer_->describe(out, session_->world(), body);
    });
  });
  events_.everyone(shared(out.text()));
}

void Simulation::publish(Clock::time_point now) {
  if (watching_ == 0) return;
  if (frameIsStale_ && frameRate_.isDue(now)) {
    auto frame = std::make_shared<Frame>(encodeFrame(*session_, view_, parts_));
    frame->epoch = static_cast<std::uint32_t>(epoch_);
    frame->number = ++frames_;
    frameIsStale_ = false;
    events_.frame(std::move(frame));
  }
  if (auto text = stats_.message(*session_, epoch_, now)) events_.stats(shared(std::move(*text)));
  if (log_ && flushRate_.isDue(now)) writeLog([&] { log_->flush(); });
}

SimulationState Simulation::state() const {
  SimulationState state{playing_, speed_, session_->world().time(), session_->steps(), {}, {}};
  for (const auto& [body, joint] : session_->pins()) state.pinned.push_back(body.index);
  if (log_) state.recording = std::filesystem::path(log_->path()).filename().string();
  return state;
}

SharedText Simulation::sceneText() {
  if (!sceneText_) {
    describer_ = std::make_unique<BodyDescriber>(view_);
    sceneText_ =
        shared(sceneMessage(epoch_, session_->model(), view_, session_->settings(), session_->world(), *describer_));
  }
  return sceneText_;
}

void Simulation::say(int client, std::string_view what, std::string_view text, std::string_view about) {
  SharedText message = shared(messageText(what, text, about));
  client == 0 ? events_.everyone(std::move(message)) : events_.one(client, std::move(message));
}

void Simulation::handle(const Command& command) {
  if (std::holds_alternative<Welcome>(command.what)) {
    tellChanges();  // to those who were there before
    events_.welcome(command.client, sceneText());
    tellState();
    frameIsStale_ = true;
    return;
  }
  try {
    handle(std::get<ControlRequest>(command.what));
  } catch (const EditRefused& error) {
    say(command.client, "problem", error.what(), command.name);
  } catch (const SceneError& error) {
    say(command.client, "problem", error.what(), command.name);
  } catch (const LogWriteError& error) {
    say(command.client, "problem", error.what(), command.name);
  } catch (const std::bad_alloc&) {
    say(command.client, "problem", "this machine has too little memory for that", command.name);
  } catch (const std::exception& error) {
    say(command.client, "problem", fmt::format("that should not happen; please report it: {}", error.what()), command.name);
  }
}

void Simulation::handle(const ControlRequest& request) {
  std::visit(
      Overloaded{[&](const PlayRequest&) {
                   playing_ = true;
                   tellState();
                 },
                 [&](const PauseRequest&) {
                   playing_ = false;
                   stepsAsked_ = 0;
                   tellState();
                 },
                 [&](const StepRequest& step) {
                   playing_ = false;
                   stepsAsked_ = std::min(stepsAsked_ + step.count, kMostStepsAtOnce);
                 },
                 [&](const RestartRequest&) { startOver(scene_, log_ != nullptr); },
                 [&](const LoadRequest& load) { this->load(load); },
                 [&](const SpeedRequest& speed) {
                   speed_ = speed.value;
                   pace_.changed(Clock::now());
                   tellState();
                 },
                 [&](const RecordRequest& record) { this->record(record.on); }, [&](const Edit& edit) { applyEdit(edit); }},
      request);
}

void Simulation::checkCost(const Edit& edit) const {
  if (!std::holds_alternative<ThrowEdit>(edit) && !std::holds_alternative<AddEdit>(edit)) return;
  constexpr std::string_view kAllowed = "allowed: to delete bodies, to choose a quicker method, or to restart the scene";
  const double most = Seconds(limits_.adding).count(), now = std::min(stepSeconds_[0], stepSeconds_[1]);
  if (now > most)
    throw EditRefused(fmt::format("a step takes {:.2g} s already, more than {:.2g} s; {}", now, most, kAllowed));
  if (contacts_ > limits_.contacts)
    throw EditRefused(fmt::format("there are {} contacts already, more than {}; {}", contacts_, limits_.contacts, kAllowed));
  if (addedSinceStep_ >= limits_.addedAtOnce)
    throw EditRefused(
        fmt::format("{} bodies were added since the last step; allowed: more after the next", addedSinceStep_));
}

void Simulation::applyEdit(const Edit& edit) {
  checkCost(edit);
  session_->apply(edit);
  if (std::holds_alternative<ThrowEdit>(edit) || std::holds_alternative<AddEdit>(edit)) ++addedSinceStep_;
  writeLog([&] { log_->edit(session_->steps(), edit); });
  frameIsStale_ = true;
  if (const auto* set = std::get_if<SetEdit>(&edit)) {
    std::erase_if(settings_, [&](const SetEdit& one) { return one.key == set->key; });
    settings_.push_back(*set);
    sceneText_ = nullptr;
    pace_.changed(Clock::now());
    CompactJson out;
    out.object("", [&] {
      out.value("say", "settings");
      describeSettings(out, "settings", session_->settings());
    });
    events_.everyone(shared(out.text()));
  }
  if (std::holds_alternative<PinEdit>(edit) || std::holds_alternative<UnpinEdit>(edit) ||
      std::holds_alternative<DeleteEdit>(edit)) {
    tellChanges();
    tellState();
  }
}

}  // namespace cairn
