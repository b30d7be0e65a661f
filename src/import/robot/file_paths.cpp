#include "import/robot/file_paths.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersAbove = 6;  // how far up a package is looked for

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool isFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The file itself, or the only one in its folder whose name differs in case.
std::string existing(const fs::path& path) {
  if (isFile(path)) return path.lexically_normal().string();
  std::error_code error;
  const std::string wanted = lower(path.filename().string());
  std::vector<std::string> found;
  for (fs::directory_iterator entry(path.parent_path().empty() ? fs::path(".") : path.parent_path(), error), end;
       !error && entry != end; entry.increment(error))
    if (lower(entry->path().filename().string()) == wanted && isFile(entry->path())) found.push_back(entry->path().string());
  if (found.empty()) return "";
  std::sort(found.begin(), found.end());
  return fs::path(found.front()).lexically_normal().string();
}

bool stripPrefix(std::string& text, const std::string& prefix) {
  if (lower(text.substr(0, prefix.size())) != prefix) return false;
  text.erase(0, prefix.size());
  return true;
}

std::string inPackages(const std::string& path, const std::string& folder, const std::vector<std::string>& packagePaths) {
  for (const std::string& entry : packagePaths) {
    const std::size_t equal = entry.find('=');
    if (equal != std::string::npos) {
      const std::string name = entry.substr(0, equal) + "/";
      if (!path.starts_with(name)) continue;
      if (std::string found = existing(fs::path(entry.substr(equal + 1)) / path.substr(name.size())); !found.empty())
        return found;
      continue;
    }
    if (std::string found = existing(fs::path(entry) / path); !found.empty()) return found;
    // The folder may be the package itself.
    const std::size_t slash = path.find('/');
    if (slash != std::string::npos && fs::path(entry).lexically_normal().filename() == path.substr(0, slash))
      if (std::string found = existing(fs::path(entry) / path.substr(slash + 1)); !found.empty()) return found;
  }
  std::error_code error;
  fs::path above = fs::absolute(folder.empty() ? fs::path(".") : fs::path(folder), error).lexically_normal();
  for (int level = 0; level <= kFoldersAbove && !above.empty(); ++level) {
    for (std::string rest = path; !rest.empty();) {
      if (std::string found = existing(above / rest); !found.empty()) return found;
      const std::size_t slash = rest.find('/');
      rest = slash == std::string::npos ? "" : rest.substr(slash + 1);
    }
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  return "";
}

}  // namespace

std::string fileAt(const std::string& written, const std::string& folder) {
  std::string path = written;
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.empty() || path.find('\0') != std::string::npos) return "";
  return existing(fs::path(path).is_absolute() ? fs::path(path) : fs::path(folder) / path);
}

std::string resolveFile(const std::string& written, const std::string& folder, const std::vector<std::string>& packagePaths) {
  std::string path = written;
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.find('\0') != std::string::npos || path.empty()) return "";
  if (stripPrefix(path, "package://") || stripPrefix(path, "model://")) {
    path.erase(0, path.find_first_not_of('/') == std::string::npos ? path.size() : path.find_first_not_of('/'));
    return path.empty() ? "" : inPackages(path, folder, packagePaths);
  }
  if (stripPrefix(path, "file://")) {
    if (std::string found = existing(path); !found.empty()) return found;
    // A path of the machine where the file was made: the same tail near the robot will do.
    while (!path.empty() && path.front() == '/') path.erase(0, 1);
    return path.empty() ? "" : inPackages(path, folder, packagePaths);
  }
  if (path.find("$(find ") == 0) {  // of roslaunch: $(find package)/rest
    const std::size_t close = path.find(')');
    if (close == std::string::npos) return "";
    return inPackages(path.substr(7, close - 7) + path.substr(close + 1), folder, packagePaths);
  }
  const fs::path direct(path);
  if (direct.is_absolute()) return existing(direct);
  if (std::string found = existing(fs::path(folder) / direct); !found.empty()) return found;
  return inPackages(path, folder, packagePaths);
}

}  // namespace cairn
