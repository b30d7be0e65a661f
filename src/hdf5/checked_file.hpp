// An HDF5 file that is opened for reading, whoever made it.
#pragma once

#include <string>

#include "hdf5/checked_group.hpp"
#include "hdf5/handle.hpp"

namespace cairn::hdf5 {

bool isHdf5(const std::string& path);  // by how it begins

// The caller holds a Silence. A file whose writer was killed, or is still at work, can be read if it was made for that.
class CheckedFile {
 public:
  explicit CheckedFile(const std::string& path);  // throws ProblemFileError
  const CheckedGroup& root() const { return root_; }

 private:
  std::size_t bytes_;
  FileHandle file_;
  CheckedGroup root_;
};

}  // namespace cairn::hdf5
