// Text for SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// Safe as content and within quotes. Control characters, which XML does not allow, become spaces.
std::string escaped(std::string_view text);

}  // namespace cairn
