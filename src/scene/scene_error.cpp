#include "scene/scene_error.hpp"

#include <fmt/format.h>

namespace cairn {
namespace {

constexpr std::size_t kExcerptWidth = 100;

bool isContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The line around `offset` with a caret below the place. Long lines are cut to a window around it.
std::string excerptAt(const std::string& text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  std::size_t end = offset;
  while (end < text.size() && text[end] != '\n') ++end;
  while (end > offset && text[end - 1] == '\r') --end;
  std::size_t from = begin;
  if (offset - begin > kExcerptWidth / 2 && end - begin > kExcerptWidth) from = offset - kExcerptWidth / 2;
  std::size_t to = std::min(end, from + kExcerptWidth);
  while (from > begin && isContinuationByte(text[from])) --from;
  while (to < end && isContinuationByte(text[to])) ++to;

  std::string line;
  std::string caret;
  for (std::size_t i = from; i < to; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char shown = byte == '\t' ? ' ' : (byte < 0x20 || byte == 0x7F) ? '?' : text[i];
    line += shown;
    if (i < offset && !isContinuationByte(text[i])) caret += ' ';
  }
  if (line.find_first_not_of(' ') == std::string::npos) return {};
  return fmt::format("    {}\n    {}^", line, caret);
}

std::string joinProblems(const std::vector<SceneProblem>& problems, std::size_t leftOut) {
  std::string all;
  for (const SceneProblem& problem : problems) {
    if (!all.empty()) all += '\n';
    all += problem.format();
  }
  if (leftOut > 0) all += fmt::format("\nand {} more", leftOut);
  return all;
}

}  // namespace

std::string SceneProblem::format() const {
  std::string all = file;
  if (line > 0) all += fmt::format(":{}:{}", line, column);
  if (!field.empty()) all += ": " + field;
  all += ": " + message;
  if (!excerpt.empty()) all += '\n' + excerpt;
  return all;
}

SceneError::SceneError(std::vector<SceneProblem> problems, std::size_t leftOut)
    : std::runtime_error(joinProblems(problems, leftOut)), problems_(std::move(problems)) {}

SceneProblem problemAt(const SourcePlace& place, std::string message) {
  SceneProblem problem;
  problem.field = place.field;
  problem.message = std::move(message);
  if (place.source) {
    problem.file = place.source->name;
  }
  if (place.source && place.source->isFile) {
    const LineColumn at = lineColumn(place.source->text, place.offset);
    problem.line = at.line;
    problem.column = at.column;
    problem.excerpt = excerptAt(place.source->text, place.offset);
  }
  if (!place.source) problem.file = "scene";
  return problem;
}

SceneProblem problemOfFile(std::string file, std::string message) {
  SceneProblem problem;
  problem.file = std::move(file);
  problem.message = std::move(message);
  return problem;
}

void ProblemList::add(SceneProblem problem) {
  if (problems_.size() < kMaximumProblems) {
    problems_.push_back(std::move(problem));
  } else {
    ++leftOut_;
  }
}

void ProblemList::add(const SourcePlace& place, std::string message) {
  if (problems_.size() >= kMaximumProblems) {
    ++leftOut_;
    return;
  }
  add(problemAt(place, std::move(message)));
}

void ProblemList::add(const JsonValue& value, std::string field, std::string message) {
  add(SourcePlace{value.source, value.offset, std::move(field)}, std::move(message));
}

void ProblemList::addAtKey(const JsonValue& owner, const JsonMember& member, std::string field, std::string message) {
  const auto& source = member.value.source ? member.value.source : owner.source;
  add(SourcePlace{source, member.keyOffset, std::move(field)}, std::move(message));
}

bool ProblemList::takeFrom(const ProblemList& other) {
  for (const SceneProblem& problem : other.problems_) add(problem);
  leftOut_ += other.leftOut_;
  return !other.isEmpty();
}

void ProblemList::throwIfAny() {
  if (problems_.empty()) return;
  throw SceneError(std::move(problems_), leftOut_);
}

}  // namespace cairn
