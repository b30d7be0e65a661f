// Who may talk to the server: judged by the Host, the Origin and the token of a request, before anything else is looked at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

struct AccessRules {
  std::string host = "127.0.0.1";    // that we listen on
  std::optional<std::string> token;  // that a WebSocket must bring
};

// Without a token only this machine may be served: "127.0.0.1", "::1", "localhost".
bool isLoopback(std::string_view host);

// Whether a token can stand in an address as it is, and is not too easy to guess.
bool isToken(std::string_view text);

// Whether the Host header (with or without a port) is a name under which we serve. A page of another site whose name was
// made to point here (DNS rebinding) is told apart by it.
bool isHostAllowed(std::string_view hostHeader, const AccessRules& rules);
// Whether the Origin header, if there is one, is our own page under this Host.
bool isOriginAllowed(std::optional<std::string_view> origin, std::string_view hostHeader);
// Whether the query of "/live?token=..." has the token, if one is wanted. Takes the same time wherever it first differs.
bool isTokenRight(std::string_view target, const AccessRules& rules);

std::string_view pathOf(std::string_view target);                                       // without the query
std::optional<std::string> queryValue(std::string_view target, std::string_view name);  // with %41 read as A

}  // namespace cairn
