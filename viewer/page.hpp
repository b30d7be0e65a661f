// The page of the lab, as it was built: one self-contained HTML file.
#pragma once

#include <string_view>

namespace cairn {

// Where a replay puts its data (docs/lab-protocol.md); the page holds it exactly once.
inline constexpr std::string_view kPageDataMarker = "<!--cairn-data-->";

std::string_view labPage();

}  // namespace cairn
