#include "app/solver_specs.hpp"

#include <fmt/format.h>

#include "app/bad_input.hpp"
#include "app/options.hpp"
#include "cairn/contact_problem.hpp"

namespace cairn {
namespace {

constexpr const char* kOption = "--solver";

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> all(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

bool isOption(const std::string& piece) {
  const std::size_t at = piece.find_first_of(":=");
  return at != std::string::npos && piece[at] == '=';
}

void check(const std::string& spec) {
  std::vector<std::string_view> names = solverNames();
  names.push_back("all");
  checkNameOption(kOption, spec.substr(0, spec.find(':')), names);
  if (spec == "all") return;
  try {
    makeSolver(spec);
  } catch (const std::invalid_argument& error) {
    throw BadInput(fmt::format("{}: {}", kOption, error.what()));
  }
}

}  // namespace

std::vector<std::string> readSolverSpecs(const std::vector<std::string>& texts) {
  std::vector<std::string> specs;
  for (const std::string& text : texts) {
    const std::size_t first = specs.size();
    for (const std::string& piece : pieces(text)) {
      if (!isOption(piece)) {
        specs.push_back(piece);
        continue;
      }
      if (specs.size() == first)
        throw BadInput(
            fmt::format("{}: found \"{}\", an option without a solver; allowed: solver:{}", kOption, piece, piece));
      // "bgs,order=random" means what it should have said.
      specs.back() += (specs.back().find(':') == std::string::npos ? ":" : ",") + piece;
    }
  }
  for (const std::string& spec : specs) check(spec);
  if (specs.empty()) {
    const std::vector<std::string_view> names = solverNames();
    specs.emplace_back(std::find(names.begin(), names.end(), "auto") != names.end() ? "auto" : "all");
  }
  std::vector<std::string> asked;
  const auto add = [&](std::string_view spec) {
    if (std::find(asked.begin(), asked.end(), spec) == asked.end()) asked.emplace_back(spec);
  };
  for (const std::string& spec : specs) {
    if (spec == "all") {
      for (const std::string_view name : solverNames()) add(name);
    } else {
      add(spec);
    }
  }
  return asked;
}

}  // namespace cairn
