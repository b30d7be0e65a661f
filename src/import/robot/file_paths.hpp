// Finding the files that a robot file names.
#pragma once

#include <string>
#include <vector>

namespace cairn {

// A path as written in a robot file: package://name/..., package:///..., model://..., file:///..., absolute or relative to
// `folder`. Case counts for nothing where a file is not found otherwise. Empty: there is no such file.
// A package that nobody named is looked for beside and above the folder: of "package://a/b/c.stl" the file b/c.stl in a
// folder above the robot's, too.
std::string resolveFile(const std::string& written, const std::string& folder, const std::vector<std::string>& packagePaths);

// The file at `written`, absolute or relative to `folder`, without any search.
std::string fileAt(const std::string& written, const std::string& folder);

}  // namespace cairn
