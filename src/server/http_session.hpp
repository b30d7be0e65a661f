// One connection that speaks HTTP, until it ends or becomes a WebSocket.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string_view>

#include "server/access.hpp"
#include "server/hub.hpp"
#include "server/limits.hpp"
#include "server/pictures.hpp"
#include "server/responses.hpp"

namespace cairn {

class HttpSession;

// Connections that have not asked for anything yet, or not to the end: the one that has waited longest comes first. Shared,
// since connections may be let go of after everything else.
using WaitingSessions = std::list<HttpSession*>;

// What all connections share.
struct ServerParts {
  AccessRules access;
  ServerLimits limits;
  std::string_view page;
  Hub& hub;
  PictureShop& pictures;
  std::shared_ptr<WaitingSessions> waiting = std::make_shared<WaitingSessions>();
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  // `place` is let go of when the connection ends: so they are counted.
  HttpSession(boost::asio::ip::tcp::socket socket, const ServerParts& parts, std::shared_ptr<void> place);
  ~HttpSession() { stopWaiting(); }
  void start() { read(); }
  void giveWay();  // to somebody who has come later, and may have something to ask for

 private:
  void read();
  void answer();
  void answerPicture(std::string_view name);
  void upgrade();
  void write(HttpResponse response);
  void refuseAndEnd(boost::beast::http::status status, std::string_view text);  // of what could not even be read
  void stopWaiting();
  void linger();  // reads on for a while: closing on unread bytes would take our last words back

  boost::beast::tcp_stream stream_;
  const ServerParts& parts_;
  std::shared_ptr<void> place_;
  std::shared_ptr<WaitingSessions> waiting_;
  std::optional<WaitingSessions::iterator> waits_;  // where in that list
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  HttpRequest request_;
  std::optional<HttpResponse> response_;
  std::size_t lingered_ = 0;  // bytes
};

}  // namespace cairn
