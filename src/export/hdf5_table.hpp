// A dataset that grows by rows, written a whole chunk at a time so that nothing that is on the disk is ever written again.
#pragma once

#include <string>
#include <vector>

#include "hdf5/handle.hpp"

namespace cairn {

struct Hdf5Failure {};  // for reasons of the machine: a full disk, a folder that is gone

inline hid_t must(hid_t id) {
  if (id < 0) throw Hdf5Failure{};
  return id;
}

class Hdf5Table {
 public:
  // `width` is the shape of a row (empty: a single number), `chunkRows` how many rows are written together, and
  // `chunkColumns` how many along the width's first direction.
  Hdf5Table(hid_t parent, const char* name, hid_t fileType, hid_t memoryType, const std::vector<hsize_t>& width,
            hsize_t chunkRows, hsize_t chunkColumns);

  void add(const void* rows, hsize_t count = 1);
  void write(bool all);  // what makes whole chunks of rows, or all of it
  hsize_t pendingRows() const { return pendingRows_; }

 private:
  hdf5::DatasetHandle dataset_;
  hid_t memoryType_;
  std::vector<hsize_t> shape_;  // of what is written, with the rows first
  hsize_t chunkRows_;
  std::size_t rowBytes_;
  hsize_t written_ = 0, pendingRows_ = 0;
  std::vector<char> pending_;
};

}  // namespace cairn
