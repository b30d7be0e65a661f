#include "hdf5/checked_file.hpp"

#include <filesystem>
#include <fstream>
#include <optional>

namespace cairn::hdf5 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr int kLayoutWithChecksums = 2;
constexpr unsigned kReadAttempts = 10;  // of something that a writer may be changing

// The version of the layout behind HDF5's signature; nothing for another file.
std::optional<int> layoutOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;  // what can be read once only must not be tried
  char start[9] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start, sizeof start);
  if (std::string_view(start, kSignature.size()) != kSignature) return std::nullopt;
  return static_cast<unsigned char>(start[8]);
}

std::size_t sizeOf(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) throw ProblemFileError(path + ": cannot be read: " + error.message() + "; allowed: an HDF5 file");
  return bytes;
}

FileHandle openFile(const std::string& path) {
  const std::optional<int> layout = layoutOf(path);
  if (!layout) throw ProblemFileError(path + ": found something else; allowed: an HDF5 file");
  // HDF5 1.10 may crash on damage that it does not notice.
  if (*layout < kLayoutWithChecksums)
    throw ProblemFileError(path +
                           ": found HDF5's oldest layout, without checksums; allowed: that of HDF5 1.8 or later (h5py: "
                           "File(..., libver=\"latest\"))");
  FileHandle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file.good()) {
    const ListHandle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_metadata_read_attempts(access, kReadAttempts);
    file = FileHandle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access));
  }
  if (!file.good())
    throw ProblemFileError(path + ": found an HDF5 file that cannot be opened, so damaged or locked; allowed: a good one");
  return file;
}

}  // namespace

bool isHdf5(const std::string& path) { return layoutOf(path).has_value(); }

CheckedFile::CheckedFile(const std::string& path)
    : bytes_(sizeOf(path)), file_(openFile(path)), root_(file_, path, bytes_) {}

}  // namespace cairn::hdf5
