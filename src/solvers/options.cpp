#include "solvers/options.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace cairn {

namespace {

std::string plain(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

}  // namespace

OptionReader::OptionReader(std::string solver, std::string_view text) : solver_(std::move(solver)) {
  // Commas inside brackets belong to a solver named in an option.
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size() && !text.empty(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    const std::string_view item = text.substr(start, i - start);
    start = i + 1;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size() || depth != 0)
      throw std::invalid_argument("solver " + solver_ + ": found \"" + std::string(item) +
                                  "\"; allowed: key=value,key=value");
    std::string_view value = item.substr(equals + 1);
    if (value.front() == '(' && value.back() == ')') value = value.substr(1, value.size() - 2);
    given_[std::string(item.substr(0, equals))] = value;
  }
}

const std::string* OptionReader::take(const char* key) {
  known_.emplace_back(key);
  const auto found = given_.find(key);
  return found == given_.end() ? nullptr : &found->second;
}

void OptionReader::refuse(const std::string& key, const std::string& found, const std::string& allowed) const {
  throw std::invalid_argument("solver " + solver_ + ": " + key + ": found \"" + found + "\"; allowed: " + allowed);
}

void OptionReader::number(const char* key, double& value, double least, double most) {
  const std::string* text = take(key);
  if (text == nullptr) return;
  double read = 0.0;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), read);
  if (result.ec != std::errc{} || result.ptr != text->data() + text->size() || !(read >= least && read <= most))
    refuse(key, *text, "a number from " + plain(least) + " to " + plain(most));
  value = read;
}

void OptionReader::whole(const char* key, int& value, int least, int most) {
  const std::string* text = take(key);
  if (text == nullptr) return;
  int read = 0;
  const auto result = std::from_chars(text->data(), text->data() + text->size(), read);
  if (result.ec != std::errc{} || result.ptr != text->data() + text->size() || read < least || read > most)
    refuse(key, *text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  value = read;
}

void OptionReader::flag(const char* key, bool& value) {
  std::string text = value ? "yes" : "no";
  word(key, text, {"yes", "no"});
  value = text == "yes";
}

void OptionReader::word(const char* key, std::string& value, const std::vector<std::string_view>& allowed) {
  const std::string* text = take(key);
  if (text == nullptr) return;
  if (std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
    std::string list;
    for (const std::string_view one : allowed) list += (list.empty() ? "" : ", ") + std::string(one);
    refuse(key, *text, list);
  }
  value = *text;
}

void OptionReader::text(const char* key, std::string& value) {
  if (const std::string* text = take(key)) value = *text;
}

void OptionReader::finish() const {
  for (const auto& [key, value] : given_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string list;
    for (const std::string& one : known_) list += (list.empty() ? "" : ", ") + one;
    throw std::invalid_argument("solver " + solver_ + ": there is no option \"" + key +
                                "\"; allowed: " + (list.empty() ? "none" : list));
  }
}

}  // namespace cairn
