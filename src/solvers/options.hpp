// Options of a solver as text, "relaxation=1.3,order=random", read into the solver's own struct by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

class OptionReader {
 public:
  OptionReader(std::string solver, std::string_view text);  // throws std::invalid_argument unless key=value,key=value

  // Each leaves `value` alone if the option was not given, and throws std::invalid_argument if what was given does not do.
  void number(const char* key, double& value, double least, double most);
  void whole(const char* key, int& value, int least, int most);
  void flag(const char* key, bool& value);  // yes or no
  void word(const char* key, std::string& value, const std::vector<std::string_view>& allowed);
  void text(const char* key,
            std::string& value);  // anything; may hold a solver's name with options in brackets: (bgs:order=random)
  template <class Enum>
  void choice(const char* key, Enum& value, const std::vector<std::pair<std::string_view, Enum>>& allowed) {
    std::vector<std::string_view> names;
    for (const auto& one : allowed) names.push_back(one.first);
    std::string found;
    for (const auto& one : allowed)
      if (one.second == value) found = one.first;
    word(key, found, names);
    for (const auto& one : allowed)
      if (one.first == found) value = one.second;
  }

  void finish() const;  // throws if something was given that no one asked for

 private:
  const std::string* take(const char* key);
  [[noreturn]] void refuse(const std::string& key, const std::string& found, const std::string& allowed) const;
  std::string solver_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> known_;
};

}  // namespace cairn
