// Names in the HDF5 form, for its reader and its writer.
#pragma once

#include <algorithm>
#include <string>

namespace cairn::hdf5 {

inline constexpr const char* kFormat = "cairn-contact-problem 1";

inline constexpr const char* kFormatAttribute = "format";      // of the file
inline constexpr const char* kProblems = "problems";           // a group for each problem in it
inline constexpr const char* kName = "name";                   // attribute of a problem
inline constexpr const char* kSpeedFloor = "speed_floor";      // attribute of a problem, m/s
inline constexpr const char* kGroupSolvers = "group_solvers";  // strings, by group
inline constexpr const char* kSolution = "solution";           // rows, N s

inline constexpr const char* kBlocks = "blocks";
inline constexpr const char* kLaw = "law";            // blocks, strings
inline constexpr const char* kSize = "size";          // blocks
inline constexpr const char* kFriction = "friction";  // blocks x 2
inline constexpr const char* kFacets = "facets";      // blocks
inline constexpr const char* kGroup = "group";        // blocks

inline constexpr const char* kRows = "rows";
inline constexpr const char* kLower = "lower";            // rows, N s
inline constexpr const char* kUpper = "upper";            // rows, N s
inline constexpr const char* kBias = "bias";              // rows, m/s
inline constexpr const char* kCompliance = "compliance";  // rows, 1/kg
inline constexpr const char* kWarmStart = "warm_start";   // rows, N s

inline constexpr const char* kBodies = "bodies";
inline constexpr const char* kInverseMass = "inverse_mass";        // bodies, 1/kg
inline constexpr const char* kInverseInertia = "inverse_inertia";  // bodies x 3 x 3, 1/(kg m^2)
inline constexpr const char* kFreeVelocity = "free_velocity";      // bodies x 6, m/s and rad/s

inline constexpr const char* kJacobians = "jacobians";
inline constexpr const char* kBodyA = "body_a";  // blocks, -1: none
inline constexpr const char* kBodyB = "body_b";
inline constexpr const char* kPartA = "part_a";  // rows x 6
inline constexpr const char* kPartB = "part_b";

inline constexpr const char* kDelassus = "delassus";   // W in compressed rows
inline constexpr const char* kRowStart = "row_start";  // rows + 1
inline constexpr const char* kColumn = "column";       // entries
inline constexpr const char* kValue = "value";         // entries, 1/kg

// Groups are read in the order of their names: "0000", "0001", ..., with as many digits as the last one needs.
inline std::string problemGroup(std::size_t index, std::size_t count) {
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(count - 1).size());
  std::string name = std::to_string(index);
  return name.insert(0, digits - name.size(), '0');
}

}  // namespace cairn::hdf5
