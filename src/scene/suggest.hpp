// "did you mean ...?": the nearest of the names that would have been right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other; case counts for nothing.
int editDistance(std::string_view a, std::string_view b);
// The nearest name, or empty if none is near.
std::string_view nearestName(std::string_view word, const std::vector<std::string_view>& names);
// "; did you mean \"radius\"?", or empty.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& names);
// "a, b, c"; past `most` names it ends with "... (n in all)".
std::string listNames(const std::vector<std::string_view>& names, std::size_t most = 40);

}  // namespace cairn
