// One WebSocket. A client that does not take what it is sent, sends nonsense or vanishes costs nothing but its own place.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "server/hub.hpp"
#include "server/limits.hpp"

namespace cairn {

class WebSocketClient : public Client, public std::enable_shared_from_this<WebSocketClient> {
 public:
  using Upgrade = boost::beast::http::request<boost::beast::http::string_body>;

  WebSocketClient(boost::beast::tcp_stream stream, Hub& hub, const ServerLimits& limits, std::shared_ptr<void> place);
  ~WebSocketClient() override;

  void start(const Upgrade& request);

  void send(SharedText text) override;
  void send(std::shared_ptr<const Frame> frame, unsigned parts) override;
  bool isBusy() const override { return !queue_.empty(); }
  void close(std::string_view reason) override;

 private:
  struct Outgoing {
    SharedText text;  // or
    std::shared_ptr<const Frame> frame;
    Frame::Header header;
    unsigned parts = 0;
    std::size_t bytes = 0;
  };
  void accepted(boost::beast::error_code error);
  void read();
  void enqueue(Outgoing message);
  void write();
  void written(boost::beast::error_code error);
  void closeNow();
  void drop();  // without a farewell
  void leave();

  boost::beast::websocket::stream<boost::beast::tcp_stream> socket_;
  Hub& hub_;
  const ServerLimits limits_;
  std::shared_ptr<void> place_;  // among the connections that there may be
  boost::beast::flat_buffer buffer_;
  std::deque<Outgoing> queue_;  // the first is being written
  std::size_t queuedBytes_ = 0;
  int id_ = 0;         // 0: not in the hub
  int discarded_ = 0;  // messages that came while it was being closed
  bool isClosing_ = false;
  boost::beast::websocket::close_reason closeReason_;
};

}  // namespace cairn
