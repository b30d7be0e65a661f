// Every limit of the server in one place. Tests make them smaller.
#pragma once

#include <chrono>
#include <cstddef>

#include "lab/message_reader.hpp"

namespace cairn {

// What steps may cost. Nobody who plays with a scene may make it stand still for others.
struct StepLimits {
  std::chrono::milliseconds adding{250};      // bodies cannot be added while a step takes longer than this ...
  int contacts = 100'000;                     // ... or has more contacts
  int addedAtOnce = 100;                      // bodies, from one step to the next: what they cost is known only then
  std::chrono::milliseconds slow{1000};       // a step that takes longer is said to take long
  std::size_t memory = std::size_t{2} << 30;  // bytes: a step that takes more is stopped
};

struct ServerLimits {
  std::size_t messageBytes = kMaximumMessageBytes;  // of a WebSocket message from a client
  int messagesPerSecond = 500;                      // from one client; above, it is closed
  int clients = 32;                                 // WebSockets at once
  int connections = 128;                            // sockets of any kind at once
  std::size_t headerBytes = 8u << 10;               // of an HTTP request
  std::size_t queuedBytes = 256u << 20;             // that wait for one client; a scene of a million bodies fits
  std::size_t queuedMessages = 1000;                // likewise
  std::size_t waitingCommands = 10000;              // that the simulation has not looked at yet
  std::chrono::milliseconds request{10'000};        // for a request to arrive, and a response to be taken
  std::chrono::milliseconds handshake{10'000};      // of a WebSocket
  std::chrono::milliseconds idle{30'000};           // a client that does not even answer a ping for so long is gone
  std::chrono::milliseconds controlsIdle{10'000};   // the controls of a holder that does nothing for so long may be taken
  unsigned unacknowledged = 2;                      // frames on their way to one client
  StepLimits steps{};
};

}  // namespace cairn
