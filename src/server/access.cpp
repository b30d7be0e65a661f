#include "server/access.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <cctype>

namespace cairn {
namespace {

namespace ip = boost::asio::ip;

bool isSameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
           return std::tolower(x) == std::tolower(y);
         });
}

// "localhost" of "localhost:8080", "::1" of "[::1]:8080"; none if it is neither a name nor an address with a port.
std::optional<std::string_view> withoutPort(std::string_view host) {
  std::string_view name, rest;
  if (!host.empty() && host.front() == '[') {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name = host.substr(1, end - 1);
    rest = host.substr(end + 1);
  } else {
    name = host.substr(0, host.find(':'));
    rest = host.substr(name.size());
  }
  if (!rest.empty() && (rest.front() != ':' || rest.size() < 2 || rest.size() > 6)) return std::nullopt;
  for (const char c : rest.substr(rest.empty() ? 0 : 1)) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  return name.empty() ? std::nullopt : std::optional(name);
}

std::optional<ip::address> addressOf(std::string_view text) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(text), error);
  return error ? std::nullopt : std::optional(address);
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hexDigit(text[i + 1]) >= 0 && hexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(16 * hexDigit(text[i + 1]) + hexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

bool isLoopback(std::string_view host) {
  if (isSameText(host, "localhost")) return true;
  const auto address = addressOf(host);
  return address && address->is_loopback();
}

bool isToken(std::string_view text) {
  constexpr std::size_t kShortest = 8, kLongest = 200;
  return text.size() >= kShortest && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

bool isHostAllowed(std::string_view hostHeader, const AccessRules& rules) {
  const auto name = withoutPort(hostHeader);
  if (!name) return false;
  if (isLoopback(*name) || isSameText(*name, rules.host)) return true;
  const auto own = addressOf(rules.host);
  if (!own || !own->is_unspecified()) return false;
  // All addresses are listened on, and which of them the visitor used is not known. An address cannot have been rebound,
  // and neither can this machine's own name.
  boost::system::error_code error;
  return addressOf(*name) || isSameText(*name, ip::host_name(error));
}

bool isOriginAllowed(std::optional<std::string_view> origin, std::string_view hostHeader) {
  if (!origin) return true;  // no browser
  constexpr std::string_view scheme = "http://";
  return origin->size() > scheme.size() && isSameText(origin->substr(0, scheme.size()), scheme) &&
         isSameText(origin->substr(scheme.size()), hostHeader);
}

bool isTokenRight(std::string_view target, const AccessRules& rules) {
  if (!rules.token) return true;
  const std::string given = queryValue(target, "token").value_or("");
  const std::string& right = *rules.token;
  // As many looks as the given one is long: its sender learns nothing about ours from the time that it takes.
  unsigned difference = given.size() == right.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(right[i % right.size()]);
  }
  return difference == 0;
}

std::string_view pathOf(std::string_view target) { return target.substr(0, target.find('?')); }

std::optional<std::string> queryValue(std::string_view target, std::string_view name) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return std::nullopt;
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) return decoded(pair.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace cairn
