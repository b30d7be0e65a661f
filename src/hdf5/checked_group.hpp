// A group of an HDF5 file whose members are read with every type, shape and number checked. A file may claim anything: what
// it claims is compared with its size before memory is asked for, and nothing outside the file is ever opened for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5/handle.hpp"
#include "problem/problem_file_error.hpp"

namespace cairn::hdf5 {

enum class Numbers { Finite, NotNegative, Bounds };  // Bounds: infinity too

class CheckedGroup {
 public:
  using Shape = std::vector<hsize_t>;

  // The root of an open file.
  CheckedGroup(hid_t file, std::string fileName, std::size_t fileBytes);

  // Throw ProblemFileError, like all that follow.
  CheckedGroup group(const std::string& name) const;
  std::vector<std::string> names() const;  // of the members, in order
  bool has(const std::string& name) const;

  Shape shape(const std::string& name) const;
  std::vector<double> reals(const std::string& name, const Shape& shape, Numbers numbers) const;
  std::vector<int> wholes(const std::string& name, const Shape& shape, int least, int most) const;
  std::vector<std::string> words(const std::string& name) const;  // any number of them
  // Some rows of a dataset that may be larger than memory; `width` is the shape of a row. Any number is allowed, NaN too.
  std::vector<double> realRows(const std::string& name, hsize_t first, hsize_t count, const Shape& width) const;
  std::string bytes(const std::string& name) const;  // of a list of them

  std::optional<std::string> textAttribute(const std::string& name) const;
  std::optional<double> realAttribute(const std::string& name) const;  // at least 0

  [[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& allowed) const;
  const std::string& path() const { return path_; }

 private:
  CheckedGroup(const CheckedGroup& parent, const std::string& name);
  void requireHardLink(const std::string& name) const;
  DatasetHandle open(const std::string& name) const;
  Shape shapeOf(const std::string& name, hid_t dataset) const;
  void requireShape(const std::string& name, hid_t dataset, const Shape& shape) const;
  void requireRoom(const std::string& name, std::size_t count, std::size_t each) const;
  std::vector<std::string> readWords(const std::string& name, hid_t object, bool isAttribute, std::size_t count) const;

  GroupHandle group_;
  std::string fileName_;
  std::size_t fileBytes_;
  std::string path_;
};

}  // namespace cairn::hdf5
