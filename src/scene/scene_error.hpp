// What is wrong with a scene: every message names the place, what was found and what is allowed.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scene/located_json.hpp"

namespace cairn {

// Where something in a scene came from. Without a source it came from a C++ builder, and only `field` says what it is.
struct SourcePlace {
  std::shared_ptr<const SourceText> source;
  std::size_t offset = 0;
  std::string field;  // "bodies[3].shape.radius"
};

struct SceneProblem {
  std::string file;
  int line = 0;  // 0: the file as a whole
  int column = 0;
  std::string field;    // may be empty
  std::string message;  // what was found, what is allowed, what may have been meant
  std::string excerpt;  // the source line and a caret under the place, or empty

  std::string format() const;  // "file:line:column: field: message" and the excerpt
};

class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<SceneProblem> problems, std::size_t leftOut = 0);
  const std::vector<SceneProblem>& problems() const { return problems_; }

 private:
  std::vector<SceneProblem> problems_;
};

// Collects problems so that one run reports many. Past kMaximumProblems it only counts.
class ProblemList {
 public:
  static constexpr std::size_t kMaximumProblems = 20;

  void add(SceneProblem problem);
  void add(const SourcePlace& place, std::string message);
  void add(const JsonValue& value, std::string field, std::string message);
  void addAtKey(const JsonValue& owner, const JsonMember& member, std::string field, std::string message);
  // Appends what another list has. False if that is nothing.
  bool takeFrom(const ProblemList& other);
  bool isEmpty() const { return problems_.empty(); }
  void throwIfAny();  // SceneError

 private:
  std::vector<SceneProblem> problems_;
  std::size_t leftOut_ = 0;
};

SceneProblem problemAt(const SourcePlace& place, std::string message);
// A problem of a whole file: it is missing, empty, a directory.
SceneProblem problemOfFile(std::string file, std::string message);

}  // namespace cairn
