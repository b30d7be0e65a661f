// Who is connected, who holds the controls, and who gets what. Everything here happens in the network thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lab/frame.hpp"
#include "server/limits.hpp"
#include "server/pacing.hpp"
#include "server/simulation.hpp"

namespace cairn {

// What the hub needs of a connection. None of these calls back into the hub before it returns.
class Client {
 public:
  virtual ~Client() = default;
  virtual void send(SharedText text) = 0;  // in order; bounded, or the client goes
  virtual void send(std::shared_ptr<const Frame> frame, unsigned parts) = 0;
  virtual bool isBusy() const = 0;                  // something still waits to be sent
  virtual void close(std::string_view reason) = 0;  // politely, if the client listens
};

class Hub {
 public:
  Hub(const ServerLimits& limits, std::string hello) : limits_(limits), hello_(std::move(hello)) {}
  void connect(Simulation& simulation) { simulation_ = &simulation; }

  bool isFull() const { return static_cast<int>(clients_.size()) >= limits_.clients; }
  int enter(std::shared_ptr<Client> client);  // returns its number, from 1
  void leave(int client);
  void receive(int client, std::string_view message);
  void drained(int client);  // nothing waits to be sent to it any more
  void closeAll(std::string_view reason);

  // From the simulation.
  void tellEveryone(const SharedText& text);
  void tellStats(const SharedText& text);  // to those who are not behind
  void tellOne(int client, const SharedText& text);
  void welcome(int client, const SharedText& scene);
  void newScene(const SharedText& text, SimulationState state);
  void newState(SimulationState state);
  void newFrame(std::shared_ptr<const Frame> frame);
  void newSlow(std::optional<double> seconds);  // also to those who are not welcome yet: it is what they wait for

 private:
  struct Guest {
    std::shared_ptr<Client> client;
    bool isWelcome = false;  // it has the scene, so that what follows means something to it
    unsigned parts = 0;
    std::uint32_t lastSent = 0;    // frame
    std::set<std::uint32_t> sent;  // frames that were not acknowledged
    Clock::time_point lastDeed{};  // with the controls
    Clock::time_point second{};    // that messages are counted in
    int messages = 0;
  };
  void tellState();
  void tellAudience();
  void takeControls(int id, Guest& guest);
  void doControlled(int id, Guest& guest, const std::string& name, ControlRequest request);
  void offerFrame(Guest& guest);
  void problem(Guest& guest, std::string_view text, std::string_view about);

  const ServerLimits limits_;
  std::string hello_;  // everything of the message but its end: the client's number
  Simulation* simulation_ = nullptr;
  std::map<int, Guest> clients_;
  int lastClient_ = 0;
  std::optional<int> controls_;
  std::optional<SimulationState> state_;
  std::shared_ptr<const Frame> frame_;
  SharedText slow_;  // null: no step takes long now
};

// The "hello" message up to the client's number.
std::string helloStart(const std::string& ownScene, const SceneModel& own);

}  // namespace cairn
