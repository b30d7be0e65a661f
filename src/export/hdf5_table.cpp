#include "export/hdf5_table.hpp"

#include <algorithm>

namespace cairn {
namespace {

constexpr unsigned kDeflateLevel = 1;  // higher ones take several times longer and save a few per cent of such numbers

}  // namespace

Hdf5Table::Hdf5Table(hid_t parent, const char* name, hid_t fileType, hid_t memoryType, const std::vector<hsize_t>& width,
                     hsize_t chunkRows, hsize_t chunkColumns)
    : memoryType_(memoryType), shape_{0}, chunkRows_(chunkRows), rowBytes_(H5Tget_size(memoryType)) {
  std::vector<hsize_t> most{H5S_UNLIMITED}, chunk{chunkRows};
  for (const hsize_t side : width) {
    shape_.push_back(side);
    most.push_back(side == 0 ? H5S_UNLIMITED : side);  // a chunk may not be larger than what a dataset can become
    chunk.push_back(std::max<hsize_t>(1, chunk.size() == 1 ? std::min(side, chunkColumns) : side));
    rowBytes_ *= side;
  }
  const int rank = static_cast<int>(shape_.size());
  const hdf5::SpaceHandle space(must(H5Screate_simple(rank, shape_.data(), most.data())));
  const hdf5::ListHandle creation(must(H5Pcreate(H5P_DATASET_CREATE)));
  must(H5Pset_chunk(creation, rank, chunk.data()));
  must(H5Pset_shuffle(creation));  // bytes of like weight side by side are easier to compress
  must(H5Pset_deflate(creation, kDeflateLevel));
  dataset_ = hdf5::DatasetHandle(must(H5Dcreate2(parent, name, fileType, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
}

void Hdf5Table::add(const void* rows, hsize_t count) {
  const char* bytes = static_cast<const char*>(rows);
  pending_.insert(pending_.end(), bytes, bytes + count * rowBytes_);
  pendingRows_ += count;
}

void Hdf5Table::write(bool all) {
  const hsize_t count = all ? pendingRows_ : pendingRows_ - pendingRows_ % chunkRows_;
  if (count == 0) return;
  shape_[0] = written_ + count;
  must(H5Dset_extent(dataset_, shape_.data()));
  const hdf5::SpaceHandle place(must(H5Dget_space(dataset_)));
  std::vector<hsize_t> start(shape_.size(), 0), block = shape_;
  start[0] = written_;
  block[0] = count;
  must(H5Sselect_hyperslab(place, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr));
  const hdf5::SpaceHandle memory(must(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr)));
  if (rowBytes_ > 0) must(H5Dwrite(dataset_, memoryType_, memory, place, H5P_DEFAULT, pending_.data()));
  must(H5Dflush(dataset_));
  written_ += count;
  pendingRows_ -= count;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count * rowBytes_));
}

}  // namespace cairn
