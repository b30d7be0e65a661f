#include "solvers/registry.hpp"

#include <functional>
#include <stdexcept>

namespace cairn {

namespace {

struct Entry {
  SolverInfo info;
  std::unique_ptr<ContactSolver> (*make)(OptionReader&);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list{};
  return list;
}

}  // namespace

const std::vector<SolverInfo>& solverList() {
  static const std::vector<SolverInfo> list = [] {
    std::vector<SolverInfo> infos;
    for (const Entry& entry : entries()) infos.push_back(entry.info);
    return infos;
  }();
  return list;
}

std::vector<std::string_view> solverNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries()) names.push_back(entry.info.name);
  return names;
}

std::unique_ptr<ContactSolver> makeSolver(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  for (const Entry& entry : entries()) {
    if (entry.info.name != name) continue;
    OptionReader options{std::string(name), colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1)};
    std::unique_ptr<ContactSolver> solver = entry.make(options);
    options.finish();
    return solver;
  }
  std::string message = "solver: there is no \"" + std::string(name) + "\"; allowed: ";
  for (const Entry& entry : entries()) message += std::string(entry.info.name) + " ";
  throw std::invalid_argument(message);
}

}  // namespace cairn
