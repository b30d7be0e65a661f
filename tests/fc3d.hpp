// Frictional contact problems of another project, taken from running simulations. They are not part of this repository:
// tests read them where they are found beside it, and say that they were left out where not. tests/scenes/solvers_test.cpp
// covers the same ground on any machine, with problems from the gallery.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

namespace cairn::test {

inline std::filesystem::path fc3dFolder() { return std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/truth/fc3d"; }

// Sorted; empty if they are not there.
inline std::vector<std::filesystem::path> fc3dFiles() {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(fc3dFolder())) return files;
  for (const auto& entry : std::filesystem::directory_iterator(fc3dFolder()))
    if (entry.path().extension() == ".fcp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace cairn::test

#define CAIRN_SKIP_WITHOUT_FC3D() \
  if (cairn::test::fc3dFiles().empty()) GTEST_SKIP() << "no problems in " << cairn::test::fc3dFolder()
