// The simulation thread: takes commands, steps in real time, tells what happened. It never waits for anybody who listens.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "lab/frame.hpp"
#include "lab/input_log.hpp"
#include "lab/request.hpp"
#include "lab/session.hpp"
#include "server/lab_stats.hpp"
#include "server/pacing.hpp"
#include "server/step_watch.hpp"

namespace cairn {

using SharedText = std::shared_ptr<const std::string>;

// What the "state" message says, but for clients and controls, which the simulation knows nothing of.
struct SimulationState {
  bool playing = true;
  double speed = 1.0;
  double time = 0.0;  // s
  long step = 0;
  std::vector<std::uint32_t> pinned;     // slots
  std::optional<std::string> recording;  // the file's name
};

// Called in the simulation thread; must return soon.
struct SimulationEvents {
  std::function<void(SharedText)> everyone;                   // a message for all
  std::function<void(SharedText)> stats;                      // likewise, but one that is behind may miss it
  std::function<void(int client, SharedText)> one;            // an answer
  std::function<void(int client, SharedText scene)> welcome;  // the scene as it is now, for somebody who has just come
  std::function<void(SharedText, SimulationState)> scene;     // another scene, or this one anew
  std::function<void(SimulationState)> state;
  std::function<void(std::shared_ptr<const Frame>)> frame;
  // From another thread: how long the step that is being done has taken so far, if that is long; nothing when it is over.
  std::function<void(std::optional<double> seconds)> slow;
};

struct SimulationOptions {
  OpenedScene scene;
  bool playing = true;
  std::optional<std::string> log;  // record into this file from the start
  StepLimits limits{};
};

class Simulation {
 public:
  Simulation(SimulationOptions options, SimulationEvents events);  // throws SceneError, LogWriteError
  ~Simulation();                                                   // stops

  void start();
  void stop();  // within the step that is being done

  // Any thread. False: so many commands wait already that this one was dropped.
  bool command(int client, const std::string& name, ControlRequest request, std::size_t mostWaiting);
  void welcome(int client);
  // How many watch, and the parts of frames that any of them wants. The simulation rests while nobody watches.
  void setAudience(int watching, unsigned parts);

 private:
  static constexpr std::chrono::milliseconds kPatience{250};  // with a step, of somebody who wants something else
  static constexpr std::chrono::milliseconds kNewcomerPatience{1000};

  struct Welcome {};
  struct Command {
    int client;
    std::string name;
    std::variant<Welcome, ControlRequest> what;
  };

  void loop();
  void work(Clock::time_point now);
  void handle(const Command& command);
  void handle(const ControlRequest& request);
  void applyEdit(const Edit& edit);
  void checkCost(const Edit& edit) const;  // throws EditRefused if steps take too long for more bodies
  void afterStopped();
  void setNewcomerPatience(std::chrono::milliseconds patience);
  void begin(OpenedScene scene);
  void startOver(OpenedScene scene, bool isRecorded);
  void load(const LoadRequest& request);
  void record(bool on);
  void step();
  void tellChanges();
  void publish(Clock::time_point now);
  void openLog(const std::string& path, bool isNew);
  void openNextLog();
  void writeLog(const std::function<void()>& write);  // stops recording if the disk does not take it
  void say(int client, std::string_view what, std::string_view text, std::string_view about = {});
  void tellState() { events_.state(state()); }
  SimulationState state() const;
  SharedText sceneText();

  SimulationEvents events_;
  std::string startPath_, startName_;  // of the first scene, which may be loaded again though it is a file
  OpenedScene scene_;
  std::unique_ptr<LabSession> session_;
  SceneView view_;
  std::unique_ptr<BodyDescriber> describer_;
  SharedText sceneText_;           // null: bodies have come or gone since it was written
  std::vector<SetEdit> settings_;  // that were made by hand, the last for each key; a restart keeps them
  long epoch_ = 0;
  std::uint32_t frames_ = 0;

  bool playing_;
  double speed_ = 1.0;
  int stepsAsked_ = 0;
  bool frameIsStale_ = true;
  StepPace pace_;
  RateLimit frameRate_{60.0}, flushRate_{1.0};
  LabStats stats_;

  std::optional<std::string> logPath_;  // as given
  int logs_ = 0;                        // opened so far
  std::unique_ptr<InputLogWriter> log_;

  const StepLimits limits_;
  std::array<double, 2> stepSeconds_{};  // of the last steps
  int contacts_ = 0;                     // of the last step
  int addedSinceStep_ = 0;
  std::chrono::milliseconds newcomerPatience_ = kNewcomerPatience;  // until this step is stopped for somebody who has come

  std::atomic<int> watching_{0};
  std::atomic<unsigned> parts_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Command> inbox_;
  bool stopping_ = false, audienceChanged_ = false;
  StepWatch watch_;
  std::thread thread_;
};

}  // namespace cairn
