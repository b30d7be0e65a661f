// HTTP responses: the page, the pictures, and refusals that say why. All of them tell browsers to be strict.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

namespace cairn {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

HttpResponse pageResponse(const HttpRequest& request, std::string_view page);
HttpResponse pictureResponse(const HttpRequest& request, const std::string& png);
HttpResponse refusal(const HttpRequest& request, boost::beast::http::status status, std::string_view text);

}  // namespace cairn
