#include "scene/suggest.hpp"

#include <fmt/format.h>

namespace cairn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A word longer than this is no misspelling of anything; it bounds the work on hostile input.
constexpr std::size_t kLongestWord = 100;
constexpr std::size_t kMostCandidates = 20000;

}  // namespace

int editDistance(std::string_view a, std::string_view b) {
  const std::size_t n = a.size();
  const std::size_t m = b.size();
  std::vector<int> before(m + 1), last(m + 1), row(m + 1);
  for (std::size_t j = 0; j <= m; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= n; ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= m; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[m];
}

std::string_view nearestName(std::string_view word, const std::vector<std::string_view>& names) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  int bestDistance = 1000;
  std::size_t looked = 0;
  for (std::string_view name : names) {
    if (++looked > kMostCandidates) break;
    if (name.size() > kLongestWord) continue;
    const int allowed = std::max<int>(1, static_cast<int>(std::max(word.size(), name.size()) + 1) / 3);
    const int difference = std::abs(static_cast<int>(word.size()) - static_cast<int>(name.size()));
    const bool extends = name.size() > word.size() && word.size() >= 3 && name.substr(0, word.size()) == word;
    if (difference > allowed && !extends) continue;
    const int distance = editDistance(word, name);
    if (distance > allowed && !extends) continue;
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string_view best = nearestName(word, names);
  return best.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", best);
}

std::string listNames(const std::vector<std::string_view>& names, std::size_t most) {
  if (names.empty()) return "none";
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == most) return fmt::format("{}, ... ({} in all)", all, names.size());
    if (i > 0) all += ", ";
    all += names[i];
  }
  return all;
}

}  // namespace cairn
