// The lab as a whole: a simulation, a page that shows it, and whoever looks at it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lab/scene_origin.hpp"
#include "server/limits.hpp"

namespace cairn {

struct LabServerOptions {
  OpenedScene scene;
  std::string_view page;             // HTML; must outlive the server
  std::string host = "127.0.0.1";    // an address or "localhost"
  std::optional<std::string> token;  // needed unless the host is this machine only
  std::uint16_t port = 8080;         // 0: any that is free
  int portsToTry = 1;                // that one, and the next ones if it is taken
  bool playing = true;
  std::optional<std::string> log;
  ServerLimits limits{};
};

// An address that cannot be listened on, or must not be.
class ServerError : public std::runtime_error {
 public:
  explicit ServerError(const std::string& text) : std::runtime_error(text) {}
};

class LabServer {
 public:
  explicit LabServer(LabServerOptions options);  // throws ServerError, SceneError, LogWriteError
  ~LabServer();                                  // stops

  void start();  // returns at once
  void stop();   // says goodbye to everybody, ends the log
  std::uint16_t port() const;
  std::string address() const;  // for a browser, with the token

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
