#include <filesystem>

#include "hdf5/checked_file.hpp"
#include "hdf5/checked_group.hpp"
#include "hdf5/format.hpp"
#include "hdf5/problem_file.hpp"
#include "problem/text_file.hpp"

namespace cairn {

namespace {

namespace fs = std::filesystem;
using hdf5::CheckedGroup;
using hdf5::Numbers;

Vector toVector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Law lawNamed(const CheckedGroup& group, int index, const std::string& name) {
  std::string all;
  for (int i = 0; i < kLawCount; ++i) {
    const std::string_view known = nameOf(static_cast<Law>(i));
    if (name == known) return static_cast<Law>(i);
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  group.refuse(std::string(hdf5::kLaw) + "[" + std::to_string(index) + "]", quotedWord(name), all);
}

// The blocks, and how many rows they have together.
int readBlocks(const CheckedGroup& group, ProblemData& data) {
  const std::vector<std::string> laws = group.words(hdf5::kLaw);
  const hsize_t count = laws.size();
  constexpr int kMost = std::numeric_limits<int>::max();
  const auto optional = [&](const char* name, int least, int most) {
    return group.has(name) ? group.wholes(name, {count}, least, most) : std::vector<int>(count, 0);
  };
  const std::vector<int> sizes = group.wholes(hdf5::kSize, {count}, 1, kMostBlockRows);
  const std::vector<double> friction = group.has(hdf5::kFriction)
                                           ? group.reals(hdf5::kFriction, {count, 2}, Numbers::NotNegative)
                                           : std::vector<double>(2 * count, 0.0);
  const std::vector<int> facets = optional(hdf5::kFacets, 0, 1024);
  const std::vector<int> groups = optional(hdf5::kGroup, 0, kMost);
  data.blocks.resize(count);
  int rows = 0;
  for (std::size_t i = 0; i < count; ++i) {
    data.blocks[i] = {.law = lawNamed(group, static_cast<int>(i), laws[i]),
                      .first = rows,
                      .size = sizes[i],
                      .friction = {friction[2 * i], friction[2 * i + 1]},
                      .facets = facets[i],
                      .group = groups[i]};
    if (rows > kMost - sizes[i]) group.refuse(hdf5::kSize, "too many rows", "fewer than two thousand million");
    rows += sizes[i];
  }
  return rows;
}

void readRows(const CheckedGroup& group, hsize_t rows, ProblemData& data) {
  const auto optional = [&](const char* name, Numbers numbers, Vector& target) {
    if (group.has(name)) target = toVector(group.reals(name, {rows}, numbers));
  };
  optional(hdf5::kLower, Numbers::Bounds, data.lower);
  optional(hdf5::kUpper, Numbers::Bounds, data.upper);
  optional(hdf5::kBias, Numbers::Finite, data.bias);
  optional(hdf5::kCompliance, Numbers::NotNegative, data.compliance);
  optional(hdf5::kWarmStart, Numbers::Finite, data.warmStart);
}

int readBodies(const CheckedGroup& group, ProblemData& data) {
  const CheckedGroup::Shape shape = group.shape(hdf5::kInverseMass);
  if (shape.size() != 1) group.refuse(hdf5::kInverseMass, "a table", "a list with a number for each body");
  const hsize_t count = shape[0];
  const std::vector<double> masses = group.reals(hdf5::kInverseMass, {count}, Numbers::NotNegative);
  const std::vector<double> inertias = group.reals(hdf5::kInverseInertia, {count, 3, 3}, Numbers::Finite);
  std::vector<FreeBodies::Item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    items[i].inverseMass = masses[i];
    items[i].inverseInertia = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(inertias.data() + 9 * i);
  }
  data.inverseMass = std::make_shared<FreeBodies>(std::move(items));
  if (group.has(hdf5::kFreeVelocity))
    data.freeVelocity = toVector(group.reals(hdf5::kFreeVelocity, {count, 6}, Numbers::Finite));
  return static_cast<int>(count);
}

void readJacobians(const CheckedGroup& group, hsize_t rows, int bodies, ProblemData& data) {
  const hsize_t count = data.blocks.size();
  const auto side = [&](const char* bodyName, const char* partName, int BlockJacobian::*body,
                        BlockJacobian::Part BlockJacobian::*part) {
    const std::vector<int> indices = group.wholes(bodyName, {count}, -1, bodies - 1);
    const std::vector<double> values = group.reals(partName, {rows, 6}, Numbers::Finite);
    for (std::size_t i = 0; i < count; ++i) {
      const Block& block = data.blocks[i];
      const Eigen::Map<const BlockJacobian::Part> found(values.data() + 6 * static_cast<std::size_t>(block.first),
                                                        block.size, 6);
      data.jacobians[i].*body = indices[i];
      if (indices[i] >= 0) {
        data.jacobians[i].*part = found;
      } else if ((found.array() != 0.0).any()) {
        group.refuse(std::string(partName) + "[" + std::to_string(block.first) + "]",
                     "numbers for a block without a body (" + std::string(bodyName) + " -1)", "zeros");
      }
    }
  };
  data.jacobians.resize(count);
  side(hdf5::kBodyA, hdf5::kPartA, &BlockJacobian::a, &BlockJacobian::partA);
  side(hdf5::kBodyB, hdf5::kPartB, &BlockJacobian::b, &BlockJacobian::partB);
}

void readMatrix(const CheckedGroup& group, int rows, ProblemData& data) {
  const CheckedGroup::Shape shape = group.shape(hdf5::kValue);
  if (shape.size() != 1 || shape[0] > static_cast<hsize_t>(std::numeric_limits<int>::max()))
    group.refuse(hdf5::kValue, "no list, or too long a one", "a list with a number for each entry");
  const int entries = static_cast<int>(shape[0]);
  const std::vector<int> start = group.wholes(hdf5::kRowStart, {static_cast<hsize_t>(rows) + 1}, 0, entries);
  const std::vector<int> column = group.wholes(hdf5::kColumn, shape, 0, rows - 1);
  const std::vector<double> value = group.reals(hdf5::kValue, shape, Numbers::Finite);
  if (start.front() != 0) group.refuse("row_start[0]", std::to_string(start.front()), "0");
  if (start.back() != entries)
    group.refuse("row_start[" + std::to_string(rows) + "]", std::to_string(start.back()),
                 std::to_string(entries) + ", the number of entries");
  for (int row = 0; row < rows; ++row) {
    if (start[row + 1] < start[row])
      group.refuse("row_start[" + std::to_string(row + 1) + "]", "less than the number before", "numbers that do not fall");
    for (int k = start[row] + 1; k < start[row + 1]; ++k)
      if (column[k] <= column[k - 1])
        group.refuse("column[" + std::to_string(k) + "]",
                     std::to_string(column[k]) + " after " + std::to_string(column[k - 1]) + " in the same row",
                     "numbers that rise along a row");
  }
  data.delassus = Eigen::Map<const SparseMatrix>(rows, rows, entries, start.data(), column.data(), value.data());
}

SavedProblem readOne(const CheckedGroup& group) {
  ProblemData data;
  data.name = group.textAttribute(hdf5::kName).value_or("");
  data.speedFloor = group.realAttribute(hdf5::kSpeedFloor).value_or(0.0);
  const int rows = readBlocks(group.group(hdf5::kBlocks), data);
  if (group.has(hdf5::kRows)) readRows(group.group(hdf5::kRows), rows, data);
  if (group.has(hdf5::kGroupSolvers)) data.groupSolvers = group.words(hdf5::kGroupSolvers);
  const bool bodies = group.has(hdf5::kBodies), matrix = group.has(hdf5::kDelassus);
  if (bodies == matrix)
    group.refuse("", bodies ? "both bodies and delassus" : "neither bodies nor delassus",
                 "bodies with jacobians, or delassus alone");
  if (bodies) {
    const int count = readBodies(group.group(hdf5::kBodies), data);
    readJacobians(group.group(hdf5::kJacobians), rows, count, data);
  } else {
    readMatrix(group.group(hdf5::kDelassus), rows, data);
  }
  SavedProblem saved;
  if (group.has(hdf5::kSolution))
    saved.solution = toVector(group.reals(hdf5::kSolution, {static_cast<hsize_t>(rows)}, Numbers::Finite));
  saved.name = data.name;
  try {
    saved.problem = std::make_shared<ContactProblem>(std::move(data));
  } catch (const std::invalid_argument& error) {  // what the fields say together
    group.refuse("", std::string("what makes no problem (") + error.what() + ")", "see docs/contact-problems.md");
  }
  return saved;
}

}  // namespace

std::vector<SavedProblem> readProblemHdf5(const std::string& path) {
  const hdf5::Silence silence;
  const hdf5::CheckedFile file(path);
  const CheckedGroup& root = file.root();
  const std::string format = root.textAttribute(hdf5::kFormatAttribute).value_or("");
  if (format != hdf5::kFormat)
    root.refuse(std::string("@") + hdf5::kFormatAttribute, format.empty() ? "nothing" : quotedWord(format),
                quotedWord(hdf5::kFormat));
  const CheckedGroup problems = root.group(hdf5::kProblems);
  std::vector<SavedProblem> all;
  for (const std::string& name : problems.names()) all.push_back(readOne(problems.group(name)));
  if (all.empty()) root.refuse(hdf5::kProblems, "no problem", "one at least");
  return all;
}

std::vector<SavedProblem> readProblems(const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  if (!hdf5::isHdf5(path)) return {{.name = stem, .problem = readProblemText(path), .solution = {}}};
  std::vector<SavedProblem> all = readProblemHdf5(path);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = all.size() == 1 ? stem : stem + "#" + std::to_string(i);
  return all;
}

}  // namespace cairn
