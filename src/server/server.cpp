#include "server/server.hpp"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "server/http_session.hpp"
#include "server/simulation.hpp"

namespace cairn {
namespace {

namespace net = boost::asio;
using net::ip::tcp;

tcp::acceptor listen(net::io_context& context, const LabServerOptions& options) {
  boost::system::error_code error;
  const auto address = options.host == "localhost" ? net::ip::address(net::ip::address_v4::loopback())
                                                   : net::ip::make_address(options.host, error);
  if (error) {
    throw ServerError(
        fmt::format("--host: found \"{}\"; allowed: an address such as 127.0.0.1, 0.0.0.0 or ::1", options.host));
  }
  if (!address.is_loopback() && (!options.token || options.token->empty())) {
    throw ServerError(
        fmt::format("--host: {} can be reached from other machines; allowed: together with --token", options.host));
  }
  for (int tried = 0;; ++tried) {
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port + tried));
    tcp::acceptor acceptor(context);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
    if (!error) return acceptor;
    const bool isLast = tried + 1 >= options.portsToTry || options.port == 0 || options.port + tried >= 65535;
    if (error != net::error::address_in_use || isLast) {
      throw ServerError(
          fmt::format("--port: {} port {} cannot be listened on: {}", options.host, options.port, error.message()));
    }
  }
}

// As it stands in an address.
std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

}  // namespace

struct LabServer::Impl {
  explicit Impl(LabServerOptions given)
      : host(given.host),
        token(given.token),
        acceptor(listen(context, given)),
        hub(given.limits, helloStart(given.scene.model.name, given.scene.model)),
        parts{{given.host, given.token}, given.limits, given.page, hub, pictures},
        simulation({std::move(given.scene), given.playing, std::move(given.log), given.limits.steps}, events()) {
    hub.connect(simulation);
  }

  // What the simulation says is carried over to the network thread.
  SimulationEvents events() {
    const auto post = [this](auto work) { net::post(context, std::move(work)); };
    SimulationEvents to;
    to.everyone = [=, this](SharedText text) { post([this, text] { hub.tellEveryone(text); }); };
    to.stats = [=, this](SharedText text) { post([this, text] { hub.tellStats(text); }); };
    to.one = [=, this](int client, SharedText text) { post([this, client, text] { hub.tellOne(client, text); }); };
    to.welcome = [=, this](int client, SharedText scene) { post([this, client, scene] { hub.welcome(client, scene); }); };
    to.scene = [=, this](SharedText text, SimulationState state) {
      post([this, text, state = std::move(state)] { hub.newScene(text, state); });
    };
    to.state = [=, this](SimulationState state) { post([this, state = std::move(state)] { hub.newState(state); }); };
    to.frame = [=, this](std::shared_ptr<const Frame> frame) { post([this, frame] { hub.newFrame(frame); }); };
    to.slow = [=, this](std::optional<double> seconds) { post([this, seconds] { hub.newSlow(seconds); }); };
    return to;
  }

  void accept() {
    acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (error) {  // out of file handles, most likely: those that are open will end some time
        retry.expires_after(std::chrono::milliseconds(100));
        retry.async_wait([this](boost::system::error_code cancelled) {
          if (!cancelled) accept();
        });
        return;
      }
      const auto isFull = [&] { return connections.use_count() - 1 >= parts.limits.connections; };
      // Sockets that nobody says anything through must not keep out those who do.
      if (isFull() && !parts.waiting->empty()) parts.waiting->front()->giveWay();
      if (!isFull()) {
        boost::system::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);  // a frame should leave now, not when there is more
        // A handle to `connections` that does nothing but be counted.
        std::make_shared<HttpSession>(std::move(socket), parts, std::shared_ptr<void>(connections))->start();
      }
      accept();
    });
  }

  std::string host;
  std::optional<std::string> token;
  net::io_context context{1};
  tcp::acceptor acceptor;
  net::steady_timer retry{context};
  std::shared_ptr<int> connections = std::make_shared<int>(0);  // counted by its owners
  Hub hub;
  PictureShop pictures;
  ServerParts parts;
  Simulation simulation;
  std::thread network;
};

LabServer::LabServer(LabServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

LabServer::~LabServer() { stop(); }

void LabServer::start() {
  impl_->accept();
  impl_->simulation.start();
  impl_->network = std::thread([this] {
    for (bool isDone = false; !isDone;) {
      try {
        impl_->context.run();
        isDone = true;
      } catch (const std::exception&) {  // too little memory for one client's request: the others go on
      }
    }
  });
}

void LabServer::stop() {
  if (!impl_->network.joinable()) return;
  impl_->simulation.stop();
  net::post(impl_->context, [this] {
    impl_->acceptor.close();
    impl_->retry.cancel();
    impl_->hub.closeAll("the server ends");
    // Those who do not answer are not waited for.
    impl_->retry.expires_after(std::chrono::milliseconds(200));
    impl_->retry.async_wait([this](boost::system::error_code) { impl_->context.stop(); });
  });
  impl_->network.join();
}

std::uint16_t LabServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string LabServer::address() const {
  // A browser cannot go to "all addresses", but it can go to this machine.
  const std::string host = impl_->host == "0.0.0.0" || impl_->host == "::" ? "127.0.0.1" : impl_->host;
  const std::string query = impl_->token ? "?token=" + *impl_->token : "";
  return fmt::format("http://{}:{}/{}", bracketed(host), port(), query);
}

}  // namespace cairn
