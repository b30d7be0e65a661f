// Contact problems as text, for contacts with Coulomb's law only; docs/contact-problems.md describes the form:
//
//   FCP1 <d> <contacts> <blocks>
//   <i> <j> <d*d numbers>      block (i, j) of W, row by row; repeated <blocks> times
//   <d*contacts numbers>       b
//   <contacts numbers>         mu
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cairn/contact_problem.hpp"
#include "problem/problem_file_error.hpp"

namespace cairn {

// Throws ProblemFileError. Needs memory in proportion to the file, whatever numbers stand in it. The problem is named after
// the file, without its folder and ending.
std::shared_ptr<ContactProblem> readProblemText(const std::string& path);
// The same from memory; `file` is what messages call it.
std::shared_ptr<ContactProblem> parseProblemText(std::string_view text, const std::string& file);

// W, b and mu, exactly: every number reads back as the same double. Compliance goes into W; bodies, warm start, groups and
// the speed floor have no place in this form. Throws std::invalid_argument for what is no such problem: other laws, elliptic
// cones, planar contacts mixed with spatial ones.
std::string writeProblemText(const ContactProblem& problem);

}  // namespace cairn
