#include "server/websocket_client.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

namespace cairn {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

constexpr int kMostDiscarded = 10000;  // messages that a client may still send while it is being closed

}  // namespace

WebSocketClient::WebSocketClient(beast::tcp_stream stream, Hub& hub, const ServerLimits& limits, std::shared_ptr<void> place)
    : socket_(std::move(stream)),
      hub_(hub),
      limits_(limits),
      place_(std::move(place)),
      buffer_(limits.messageBytes + 1024) {}

WebSocketClient::~WebSocketClient() = default;

void WebSocketClient::start(const Upgrade& request) {
  beast::get_lowest_layer(socket_).expires_never();  // the WebSocket has clocks of its own
  websocket::stream_base::timeout timeouts{};
  timeouts.handshake_timeout = limits_.handshake;
  timeouts.idle_timeout = limits_.idle;
  timeouts.keep_alive_pings = true;
  socket_.set_option(timeouts);
  socket_.read_message_max(limits_.messageBytes);
  socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) { self->accepted(error); });
}

void WebSocketClient::accepted(beast::error_code error) {
  if (error) return;
  if (hub_.isFull()) {
    closeReason_ = {websocket::close_code::try_again_later, "too many clients"};
    isClosing_ = true;
    return closeNow();
  }
  id_ = hub_.enter(shared_from_this());
  read();
}

void WebSocketClient::read() {
  socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return self->leave();  // gone, silent for too long, or sent what no client may
    if (self->isClosing_) {
      self->buffer_.consume(self->buffer_.size());
      if (++self->discarded_ > kMostDiscarded) self->drop();
      return self->read();  // until the answer to our closing comes
    }
    if (!self->socket_.got_text()) {
      self->close("only text is understood");
    } else {
      const auto data = self->buffer_.cdata();
      self->hub_.receive(self->id_, {static_cast<const char*>(data.data()), data.size()});
    }
    self->buffer_.consume(self->buffer_.size());
    self->read();
  });
}

void WebSocketClient::leave() {
  if (id_ != 0) hub_.leave(std::exchange(id_, 0));
}

void WebSocketClient::send(SharedText text) {
  const std::size_t bytes = text->size();
  enqueue({.text = std::move(text), .frame = nullptr, .header = {}, .parts = 0, .bytes = bytes});
}

void WebSocketClient::send(std::shared_ptr<const Frame> frame, unsigned parts) {
  parts &= frame->available;
  std::size_t bytes = kFrameHeaderBytes + frame->poses.size();
  for (unsigned k = 0; k < 3; ++k) bytes += (parts & (1u << k)) != 0 ? frame->parts[k].size() : 0;
  const Frame::Header header = frame->header(parts);
  enqueue({.text = nullptr, .frame = std::move(frame), .header = header, .parts = parts, .bytes = bytes});
}

void WebSocketClient::enqueue(Outgoing message) {
  if (isClosing_) return;
  queuedBytes_ += message.bytes;
  queue_.push_back(std::move(message));
  if (queuedBytes_ > limits_.queuedBytes || queue_.size() > limits_.queuedMessages) {
    return drop();  // it does not take what it is sent, so that it would not take a farewell either
  }
  if (queue_.size() == 1) write();
}

void WebSocketClient::write() {
  const Outgoing& next = queue_.front();
  const auto done = [self = shared_from_this()](beast::error_code error, std::size_t) { self->written(error); };
  if (next.text) {
    socket_.text(true);
    socket_.async_write(boost::asio::buffer(*next.text), done);
    return;
  }
  socket_.binary(true);
  std::array<boost::asio::const_buffer, 5> pieces;
  pieces[0] = boost::asio::buffer(next.header);
  pieces[1] = boost::asio::buffer(next.frame->poses);
  for (unsigned k = 0; k < 3; ++k) {
    if ((next.parts & (1u << k)) != 0) pieces[2 + k] = boost::asio::buffer(next.frame->parts[k]);
  }
  socket_.async_write(pieces, done);
}

void WebSocketClient::written(beast::error_code error) {
  if (error) {
    queue_.clear();
    return leave();
  }
  queuedBytes_ -= queue_.front().bytes;
  queue_.pop_front();
  if (isClosing_) {
    queue_.clear();
    return closeNow();
  }
  if (!queue_.empty()) return write();
  hub_.drained(id_);
}

void WebSocketClient::close(std::string_view reason) {
  if (isClosing_) return;
  isClosing_ = true;
  closeReason_ = {websocket::close_code::policy_error, {reason.data(), reason.size()}};
  if (queue_.empty()) closeNow();  // else after what is being written
}

void WebSocketClient::drop() {
  isClosing_ = true;
  beast::error_code ignored;
  beast::get_lowest_layer(socket_).cancel();
  beast::get_lowest_layer(socket_).socket().shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
}

void WebSocketClient::closeNow() {
  socket_.async_close(closeReason_, [self = shared_from_this()](beast::error_code) { self->leave(); });
}

}  // namespace cairn
