// cairn view: the lab in the browser.
#include <fmt/format.h>

#include <chrono>
#include <ostream>
#include <thread>

#include "app/bad_input.hpp"
#include "app/browser.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "lab/input_log.hpp"
#include "server/access.hpp"
#include "server/server.hpp"
#include "viewer/page.hpp"

namespace cairn {
namespace {

constexpr int kDefaultPort = 8080;
constexpr int kPortsToTry = 100;  // if none was asked for and others are taken
constexpr std::string_view kLogEnding = ".cairnlog";

LabServerOptions readOptions(const ViewArguments& arguments) {
  LabServerOptions options;
  if (arguments.host) options.host = *arguments.host;
  options.token = arguments.token;
  options.port = kDefaultPort;
  options.portsToTry = kPortsToTry;
  if (arguments.port) {
    options.port = static_cast<std::uint16_t>(readWholeOption("--port", *arguments.port, 1, 65535));
    options.portsToTry = 1;
  }
  if (options.token && !isToken(*options.token)) {
    throw BadInput("--token: allowed: 8 to 200 letters, digits, - and _, so that it can stand in an address");
  }
  options.playing = !arguments.paused;
  if (arguments.log) {
    if (!arguments.log->ends_with(kLogEnding)) {
      throw BadInput(fmt::format("--log: found \"{}\"; allowed: a name that ends in {}", *arguments.log, kLogEnding));
    }
    checkOutputPath("--log", *arguments.log);
    options.log = arguments.log;
  }
  std::vector<Override> set;
  for (const std::string& text : arguments.set) set.push_back(readSetOption(text));
  options.scene = openWithOrigin(arguments.scene, std::move(set));
  options.page = labPage();
  return options;
}

std::unique_ptr<LabServer> makeServer(const ViewArguments& arguments) {
  try {
    return std::make_unique<LabServer>(readOptions(arguments));
  } catch (const ServerError& error) {
    throw BadInput(error.what());
  } catch (const LogWriteError& error) {
    throw BadInput(fmt::format("--log: {}", error.what()));
  }
}

}  // namespace

int commandView(const ViewArguments& arguments, std::ostream& out, std::ostream&) {
  const InterruptGuard interrupt;
  const std::unique_ptr<LabServer> server = makeServer(arguments);
  server->start();
  out << fmt::format("{}\nThe lab is at {}   (Ctrl-C ends it)\n", arguments.scene, server->address()) << std::flush;
  if (!arguments.noBrowser) openBrowser(server->address());
  while (interrupt.signal() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server->stop();
  return kExitOk;
}

}  // namespace cairn
