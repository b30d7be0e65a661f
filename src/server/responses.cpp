#include "server/responses.hpp"

#include <fmt/format.h>

namespace cairn {
namespace {

namespace http = boost::beast::http;
using http::field;

HttpResponse response(const HttpRequest& request, http::status status, std::string_view type, std::string body) {
  HttpResponse answer{status, request.version()};
  answer.set(field::content_type, boost::beast::string_view(type.data(), type.size()));
  answer.set("X-Content-Type-Options", "nosniff");
  answer.set("Referrer-Policy", "no-referrer");  // the address may hold the token
  answer.set("Cross-Origin-Resource-Policy", "same-origin");
  answer.set("Cross-Origin-Opener-Policy", "same-origin");
  answer.set("X-Frame-Options", "DENY");
  answer.keep_alive(request.keep_alive());
  answer.body() = std::move(body);
  answer.prepare_payload();
  return answer;
}

}  // namespace

HttpResponse pageResponse(const HttpRequest& request, std::string_view page) {
  HttpResponse answer = response(request, http::status::ok, "text/html; charset=utf-8", std::string(page));
  // One file with its script and style inside, which talks to nobody but us. Older browsers do not count a WebSocket to the
  // same place as 'self'; the Host was checked before, so that it may be named.
  const auto host = request[field::host];
  answer.set("Content-Security-Policy",
             fmt::format("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' blob: "
                         "data:; font-src data:; connect-src 'self' ws://{}; worker-src blob:; base-uri 'none'; form-action "
                         "'none'; frame-ancestors 'none'",
                         std::string_view(host.data(), host.size())));
  answer.set(field::cache_control, "no-store");
  return answer;
}

HttpResponse pictureResponse(const HttpRequest& request, const std::string& png) {
  HttpResponse answer = response(request, http::status::ok, "image/png", png);
  answer.set(field::cache_control, "max-age=3600");  // s
  return answer;
}

HttpResponse refusal(const HttpRequest& request, http::status status, std::string_view text) {
  HttpResponse answer = response(request, status, "text/plain; charset=utf-8", fmt::format("{}\n", text));
  answer.set(field::cache_control, "no-store");
  if (status == http::status::method_not_allowed) answer.set(field::allow, "GET");
  return answer;
}

}  // namespace cairn
