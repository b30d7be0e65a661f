// A server with a small scene, and clients that talk to it over real sockets. Every wait has an end.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "server/server.hpp"

namespace cairn {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;

inline constexpr auto kPatience = std::chrono::seconds(20);  // longer than any answer takes, even on a busy machine

inline constexpr const char* kTwoBoxes = R"({"cairn": 1, "settings": {"gravity": [0, 0, -9.81]}, "bodies": [
  {"name": "floor", "kind": "static", "shape": {"type": "plane"}},
  {"name": "box", "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}},
  {"name": "top", "position": [0, 0, 1.5], "shape": {"type": "box", "size": [1, 1, 1]}}]})";

inline OpenedScene twoBoxes() {
  OpenedScene scene;
  scene.origin = {"two_boxes.json", {}, {{"two_boxes.json", kTwoBoxes}}};
  scene.model = reopen(scene.origin);
  return scene;
}

inline LabServerOptions serverOptions() {
  LabServerOptions options;
  options.scene = twoBoxes();
  options.page = "<!doctype html><title>test page</title>";
  options.port = 0;
  return options;
}

struct RunningServer : LabServer {
  explicit RunningServer(LabServerOptions options = serverOptions()) : LabServer(std::move(options)) { start(); }
};

// Runs one asynchronous operation to its end or to the end of our patience. The operation gets a handler to pass on.
template <class Start>
bool finish(net::io_context& context, Start start, beast::error_code& result) {
  struct Outcome {
    bool isDone = false;
    beast::error_code error;
  };
  const auto outcome = std::make_shared<Outcome>();  // may be called after we have lost patience
  start([outcome](beast::error_code error, auto&&...) { *outcome = {true, error}; });
  context.restart();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!outcome->isDone && std::chrono::steady_clock::now() < end) context.run_one_until(end);
  EXPECT_TRUE(outcome->isDone) << "nothing came in time";
  result = outcome->isDone ? outcome->error : net::error::make_error_code(net::error::timed_out);
  return !result;
}

class LabClient {
 public:
  struct Options {
    std::string host = {};    // empty: as it is
    std::string origin = {};  // empty: none
    std::string target = "/live";
  };

  ~LabClient() {
    vanish();
    context_.restart();
    context_.poll();  // whatever was still asked for ends now
  }
  explicit LabClient(const LabServer& server) : LabClient(server, Options{}) {}
  LabClient(const LabServer& server, const Options& options) {
    beast::error_code error;
    const tcp::endpoint endpoint(net::ip::address_v4::loopback(), server.port());
    beast::get_lowest_layer(socket_).socket().connect(endpoint, error);
    const std::string host = options.host.empty() ? "127.0.0.1:" + std::to_string(server.port()) : options.host;
    socket_.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
      if (!options.origin.empty()) request.set(http::field::origin, options.origin);
    }));
    socket_.read_message_max(64u << 20);
    isOpen_ = finish(
        context_, [&](auto done) { socket_.async_handshake(response_, host, options.target, done); }, handshake_);
  }

  bool isOpen() const { return isOpen_; }
  unsigned status() const { return response_.result_int(); }

  bool send(const std::string& text) {  // false: the connection ended before all of it was out
    beast::error_code error;
    socket_.text(true);
    finish(
        context_, [&](auto done) { socket_.async_write(net::buffer(text), done); }, error);
    if (error) isOpen_ = false;
    return !error;
  }
  void sendBinary(const std::string& bytes) {
    beast::error_code error;
    socket_.binary(true);
    finish(
        context_, [&](auto done) { socket_.async_write(net::buffer(bytes), done); }, error);
  }

  // The next message; false once the connection has ended.
  bool read() {
    buffer_.clear();
    beast::error_code error;
    isOpen_ = finish(
        context_, [&](auto done) { socket_.async_read(buffer_, done); }, error);
    end_ = error.message();
    if (!isOpen_) return false;
    message_ = beast::buffers_to_string(buffer_.data());
    isText_ = socket_.got_text();
    if (isText_) {
      json_.Parse(message_.c_str());
      EXPECT_FALSE(json_.HasParseError()) << message_;
      if (!json_.HasParseError() && json_.HasMember("client")) id_ = json_["client"].GetInt();
    } else {
      std::uint32_t head[8];
      EXPECT_GE(message_.size(), sizeof head);
      std::memcpy(head, message_.data(), sizeof head);
      parts = head[1], epoch = head[2], frame = head[3], step = head[6];
      if (acknowledges) send("{\"do\":\"ack\",\"frame\":" + std::to_string(frame) + "}");
    }
    return true;
  }
  // Reads on until a message of that kind comes. Frames are acknowledged on the way.
  bool await(const std::string& say, const std::function<bool(const rapidjson::Document&)>& fits = {}) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end && read()) {
      if (isText_ && say == json_["say"].GetString() && (!fits || fits(json_))) return true;
    }
    ADD_FAILURE() << "no \"" << say << "\" came that fits; last: " << (isText_ ? message_.substr(0, 300) : "a frame");
    return false;
  }
  bool awaitFrame(const std::function<bool()>& fits = {}) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end && read()) {
      if (!isText_ && (!fits || fits())) return true;
    }
    ADD_FAILURE() << "no frame came that fits";
    return false;
  }
  bool awaitEnd() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      if (!read()) return true;
    }
    return false;
  }
  // Takes the controls and waits until they are ours.
  void takeControls() {
    id();
    send(R"({"do":"control"})");
    await("state",
          [&](const rapidjson::Document& state) { return state["controls"].IsInt() && state["controls"].GetInt() == id(); });
  }
  int id() {
    if (id_ == 0) await("hello");
    return id_;
  }
  // Ends without a word, as a machine that lost its network.
  void vanish() { beast::get_lowest_layer(socket_).socket().close(); }

  const rapidjson::Document& json() const { return json_; }
  const std::string& message() const { return message_; }
  bool isText() const { return isText_; }
  websocket::close_reason closeReason() const { return socket_.reason(); }
  const std::string& end() const { return end_; }  // how the connection ended, in the system's words
  tcp::socket& socket() { return beast::get_lowest_layer(socket_).socket(); }

  bool acknowledges = true;
  std::uint32_t parts = 0, epoch = 0, frame = 0, step = 0;  // of the last frame

 private:
  net::io_context context_;
  websocket::stream<beast::tcp_stream> socket_{context_};
  websocket::response_type response_;
  beast::error_code handshake_;
  beast::flat_buffer buffer_;
  std::string message_, end_;
  rapidjson::Document json_;
  bool isText_ = false, isOpen_ = false;
  int id_ = 0;
};

// Bytes of our own over a plain connection, for all that no proper client would send.
class RawClient {
 public:
  explicit RawClient(const LabServer& server) {
    beast::error_code error;
    stream_.socket().connect({net::ip::address_v4::loopback(), server.port()}, error);
    EXPECT_FALSE(error);
  }
  void send(const std::string& bytes) {
    beast::error_code error;
    finish(
        context_, [&](auto done) { net::async_write(stream_, net::buffer(bytes), done); }, error);
  }
  // Everything up to the end of the connection, or up to a text that comes before.
  std::string readAll(const std::string& last = {}) {
    std::string all;
    for (;;) {
      if (!last.empty() && all.find(last) != std::string::npos) return all;
      beast::error_code error;
      const auto got = std::make_shared<std::size_t>(0);
      const bool isGood = finish(
          context_,
          [&](auto done) {
            stream_.async_read_some(net::buffer(block_), [got, done](beast::error_code failed, std::size_t count) mutable {
              *got = count;
              done(failed);
            });
          },
          error);
      all.append(block_, *got);
      if (!isGood) return all;
    }
  }
  tcp::socket& socket() { return stream_.socket(); }

 private:
  net::io_context context_;
  beast::tcp_stream stream_{context_};
  char block_[4096];
};

// One HTTP request on a connection of its own; the status line, headers and body.
inline std::string fetch(const LabServer& server, const std::string& request) {
  RawClient client(server);
  client.send(request);
  return client.readAll();
}
inline std::string get(const LabServer& server, const std::string& target, const std::string& headers = {}) {
  const std::string host = headers.find("Host:") == std::string::npos ? "Host: localhost\r\n" : "";
  return fetch(server, "GET " + target + " HTTP/1.1\r\n" + host + headers + "Connection: close\r\n\r\n");
}
inline int statusOf(const std::string& response) {
  return response.size() > 12 && response.starts_with("HTTP/1.1 ") ? std::stoi(response.substr(9, 3)) : 0;
}

}  // namespace cairn
