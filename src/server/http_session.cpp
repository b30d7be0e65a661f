#include "server/http_session.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "server/websocket_client.hpp"

namespace cairn {

namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr std::string_view kPicturePrefix = "/pictures/", kPictureEnding = ".png";
constexpr std::size_t kMostBodyBytes = 1024;  // of a request that should have none
constexpr auto kLinger = std::chrono::seconds(1);
constexpr std::size_t kMostLingeredBytes = 1u << 20;
constexpr auto kPictureTime = std::chrono::minutes(5);

std::string_view viewOf(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

HttpSession::HttpSession(boost::asio::ip::tcp::socket socket, const ServerParts& parts, std::shared_ptr<void> place)
    : stream_(std::move(socket)),
      parts_(parts),
      place_(std::move(place)),
      waiting_(parts.waiting),
      buffer_(parts.limits.headerBytes + kMostBodyBytes) {}

void HttpSession::stopWaiting() {
  if (waits_) waiting_->erase(*std::exchange(waits_, std::nullopt));
}

void HttpSession::giveWay() {
  stopWaiting();
  place_.reset();
  stream_.close();
}

void HttpSession::read() {
  waits_ = waiting_->insert(waiting_->end(), this);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(parts_.limits.headerBytes));
  parser_->body_limit(kMostBodyBytes);
  stream_.expires_after(parts_.limits.request);
  http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->stopWaiting();
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return self->refuseAndEnd(http::status::request_header_fields_too_large, "the request is too long");
    }
    if (error == http::error::body_limit) {
      return self->refuseAndEnd(http::status::payload_too_large, "a request here has no body");
    }
    const bool isNonsense = error && error.category() == http::make_error_code(http::error::bad_method).category();
    if (isNonsense && error != http::error::end_of_stream && error != http::error::partial_message) {
      return self->refuseAndEnd(http::status::bad_request, "this is no HTTP request");
    }
    if (error) return;  // gone, or too slow
    self->request_ = self->parser_->release();
    self->answer();
  });
}

void HttpSession::answer() {
  const std::string_view target = viewOf(request_.target());
  const std::string_view host = viewOf(request_[http::field::host]);
  const auto origin = request_.find(http::field::origin);
  if (!isHostAllowed(host, parts_.access)) {
    return write(refusal(request_, http::status::forbidden, "this server does not serve under that Host"));
  }
  const auto given = origin == request_.end() ? std::nullopt : std::optional(viewOf(origin->value()));
  if (!isOriginAllowed(given, host)) {
    return write(refusal(request_, http::status::forbidden, "pages of another Origin may not come here"));
  }
  if (request_.method() != http::verb::get) {
    return write(refusal(request_, http::status::method_not_allowed, "only GET is understood"));
  }
  const std::string_view path = pathOf(target);
  if (path == "/live") return upgrade();
  if (path == "/") return write(pageResponse(request_, parts_.page));
  if (path.starts_with(kPicturePrefix) && path.ends_with(kPictureEnding) &&
      path.size() > kPicturePrefix.size() + kPictureEnding.size()) {
    return answerPicture(path.substr(kPicturePrefix.size(), path.size() - kPicturePrefix.size() - kPictureEnding.size()));
  }
  write(refusal(request_, http::status::not_found, "there is nothing here; the page is at /"));
}

void HttpSession::answerPicture(std::string_view name) {
  stream_.expires_after(kPictureTime);
  parts_.pictures.ask(std::string(name), [self = shared_from_this()](SharedPicture picture) {
    boost::asio::post(self->stream_.get_executor(), [self, picture] {
      self->write(picture ? pictureResponse(self->request_, *picture)
                          : refusal(self->request_, http::status::not_found, "there is no such picture"));
    });
  });
}

void HttpSession::upgrade() {
  if (!beast::websocket::is_upgrade(request_)) {
    return write(refusal(request_, http::status::upgrade_required, "here a WebSocket is expected"));
  }
  if (!isTokenRight(viewOf(request_.target()), parts_.access)) {
    return write(refusal(request_, http::status::forbidden, "the token is missing or wrong"));
  }
  if (buffer_.size() > 0) {  // no client may speak before it was answered
    return refuseAndEnd(http::status::bad_request, "bytes came before the handshake was done");
  }
  std::make_shared<WebSocketClient>(std::move(stream_), parts_.hub, parts_.limits, std::move(place_))->start(request_);
}

void HttpSession::write(HttpResponse response) {
  response_.emplace(std::move(response));
  stream_.expires_after(parts_.limits.request);
  http::async_write(stream_, *response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (!error && self->response_->keep_alive()) return self->read();
    beast::error_code ignored;
    self->stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    if (!error) self->linger();
  });
}

void HttpSession::refuseAndEnd(http::status status, std::string_view text) {
  HttpResponse response = refusal({}, status, text);
  response.keep_alive(false);  // what follows in the stream means nothing
  write(std::move(response));
}

void HttpSession::linger() {
  buffer_.consume(buffer_.size());
  stream_.expires_after(kLinger);
  stream_.async_read_some(buffer_.prepare(kMostBodyBytes),
                          [self = shared_from_this()](beast::error_code error, std::size_t got) {
                            self->lingered_ += got;
                            if (!error && self->lingered_ < kMostLingeredBytes) self->linger();
                          });
}

}  // namespace cairn
