// Contact problems in files: HDF5 with everything a problem has, or the text form. docs/contact-problems.md describes both.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/contact_problem.hpp"
#include "problem/problem_file_error.hpp"

namespace cairn {

struct SavedProblem {
  std::string name{};  // for people, and unique in its file
  std::shared_ptr<const ContactProblem> problem{};
  Vector solution{};  // impulses that solve it, N s per row; empty if none are known
};

// Either form, told by the content: named after the file, with "#0", "#1", ... behind it if the file has several. Throws
// ProblemFileError, as do the others.
std::vector<SavedProblem> readProblems(const std::string& path);

// Named as they were when written.
std::vector<SavedProblem> readProblemHdf5(const std::string& path);

// Appears whole or not at all. Every number reads back as the same double. Bodies that are coupled (articulations) have no
// place in this form: such a problem is written by its matrix W. Throws std::invalid_argument for an empty list or a
// solution of the wrong size.
void writeProblemHdf5(const std::string& path, std::span<const SavedProblem> problems);

}  // namespace cairn
