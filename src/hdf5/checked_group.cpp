#include "hdf5/checked_group.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace cairn::hdf5 {

namespace {

// A dataset may be larger in memory than its file: it may be compressed, or a single number repeated.
constexpr std::size_t kMostExpansion = 64;
constexpr std::size_t kFreeBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestWord = 4096;
constexpr std::size_t kLongestName = 255;

std::string describe(const CheckedGroup::Shape& shape) {
  if (shape.empty()) return "a single value";
  std::string text;
  for (const hsize_t one : shape) text += (text.empty() ? "" : " x ") + std::to_string(one);
  return "the shape " + text;
}

std::string describe(H5T_class_t type) {
  switch (type) {
    case H5T_INTEGER:
      return "whole numbers";
    case H5T_FLOAT:
      return "floating-point numbers";
    case H5T_STRING:
      return "strings";
    case H5T_COMPOUND:
      return "records";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_REFERENCE:
      return "references";
    case H5T_ARRAY:
      return "arrays";
    case H5T_VLEN:
      return "lists";
    default:
      return "raw bytes";
  }
}

std::string plain(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// "part_a[3, 2]", or "bias[3]".
std::string at(const std::string& name, std::size_t index, const CheckedGroup::Shape& shape) {
  std::string inside;
  for (std::size_t d = shape.size(); d-- > 0;) {
    inside = std::to_string(index % shape[d]) + (inside.empty() ? "" : ", ") + inside;
    index /= shape[d];
  }
  return name + "[" + inside + "]";
}

std::size_t product(const CheckedGroup::Shape& shape) {
  std::size_t count = 1;
  for (const hsize_t one : shape) count *= one;
  return count;
}

}  // namespace

CheckedGroup::CheckedGroup(hid_t file, std::string fileName, std::size_t fileBytes)
    : group_(H5Gopen2(file, "/", H5P_DEFAULT)), fileName_(std::move(fileName)), fileBytes_(fileBytes) {
  if (!group_.good()) refuse("", "a file that cannot be opened", "an undamaged HDF5 file");
}

CheckedGroup::CheckedGroup(const CheckedGroup& parent, const std::string& name)
    : group_(H5Gopen2(parent.group_, name.c_str(), H5P_DEFAULT)),
      fileName_(parent.fileName_),
      fileBytes_(parent.fileBytes_),
      path_(parent.path_ + "/" + name) {
  if (!group_.good()) parent.refuse(name, "something else, or damaged", "a group");
}

void CheckedGroup::refuse(const std::string& name, const std::string& found, const std::string& allowed) const {
  // A group's name comes from the file.
  std::string place;
  for (const char c : path_ + "/" + name) place += c >= ' ' && c <= '~' ? c : '?';
  throw ProblemFileError(fileName_ + ": " + place + ": found " + found + "; allowed: " + allowed);
}

bool CheckedGroup::has(const std::string& name) const { return H5Lexists(group_, name.c_str(), H5P_DEFAULT) > 0; }

// Soft and external links lead elsewhere, the latter to any file of this machine.
void CheckedGroup::requireHardLink(const std::string& name) const {
  if (!has(name)) refuse(name, "nothing", "must be there");
  H5L_info_t info;
  if (H5Lget_info(group_, name.c_str(), &info, H5P_DEFAULT) < 0) refuse(name, "damage", "an undamaged HDF5 file");
  if (info.type != H5L_TYPE_HARD) refuse(name, "a link to another place", "the thing itself");
}

CheckedGroup CheckedGroup::group(const std::string& name) const {
  requireHardLink(name);
  return CheckedGroup(*this, name);
}

std::vector<std::string> CheckedGroup::names() const {
  H5G_info_t info;
  if (H5Gget_info(group_, &info) < 0 || info.nlinks > fileBytes_) refuse("", "damage", "an undamaged HDF5 file");
  struct Found {
    std::vector<std::string> names;
    std::string tooLong;
  } found;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto& [names, tooLong] = *static_cast<Found*>(data);
    const std::size_t length = strnlen(name, kLongestName + 1);
    (length > kLongestName ? tooLong : names.emplace_back()).assign(name, length);
    return length > kLongestName ? 1 : 0;  // 1: no more
  };
  if (H5Literate(group_, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep, &found) < 0)
    refuse("", "damage", "an undamaged HDF5 file");
  if (!found.tooLong.empty())
    refuse("", "the name " + quotedWord(found.tooLong), "names of at most " + std::to_string(kLongestName) + " bytes");
  return found.names;
}

DatasetHandle CheckedGroup::open(const std::string& name) const {
  requireHardLink(name);
  DatasetHandle dataset(H5Dopen2(group_, name.c_str(), H5P_DEFAULT));
  if (!dataset.good()) refuse(name, "something else, or damaged", "a dataset");
  const ListHandle creation(H5Dget_create_plist(dataset));
  const H5D_layout_t layout = creation.good() ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    refuse(name, "numbers kept in other datasets", "numbers in the dataset itself");
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) != 0)
    refuse(name, "numbers kept in other files", "numbers in the dataset itself");
  if (layout == H5D_CHUNKED) {
    Shape chunk(H5S_MAX_RANK);
    const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
    const TypeHandle type(H5Dget_type(dataset));
    if (rank < 1 || !type.good()) refuse(name, "damage", "an undamaged HDF5 file");
    std::size_t count = 1;
    for (int i = 0; i < rank; ++i) requireRoom(name, count = count * chunk[i], H5Tget_size(type));
  }
  return dataset;
}

CheckedGroup::Shape CheckedGroup::shapeOf(const std::string& name, hid_t dataset) const {
  const SpaceHandle space(H5Dget_space(dataset));
  const int rank = space.good() ? H5Sget_simple_extent_ndims(space) : -1;
  if (rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) refuse(name, "no values", "a dataset with values");
  Shape shape(rank);
  if (rank > 0 && H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0)
    refuse(name, "damage", "an undamaged HDF5 file");
  return shape;
}

CheckedGroup::Shape CheckedGroup::shape(const std::string& name) const { return shapeOf(name, open(name)); }

void CheckedGroup::requireShape(const std::string& name, hid_t dataset, const Shape& shape) const {
  if (const Shape found = shapeOf(name, dataset); found != shape) refuse(name, describe(found), describe(shape));
}

void CheckedGroup::requireRoom(const std::string& name, std::size_t count, std::size_t each) const {
  const std::size_t most = kMostExpansion * fileBytes_ + kFreeBytes;
  if (each == 0 || count > most / each)
    refuse(name, std::to_string(count) + " values of " + std::to_string(each) + " bytes",
           "at most " + std::to_string(most) + " bytes in a file of " + std::to_string(fileBytes_));
}

std::vector<double> CheckedGroup::reals(const std::string& name, const Shape& shape, Numbers numbers) const {
  const DatasetHandle dataset = open(name);
  const TypeHandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) refuse(name, describe(kind), "numbers");
  requireShape(name, dataset, shape);
  const std::size_t count = product(shape);
  requireRoom(name, count, sizeof(double));
  std::vector<double> values(count);
  if (count > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    refuse(name, "numbers that cannot be read", "undamaged numbers, plain or compressed with gzip");
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[i];
    const bool good = numbers == Numbers::Bounds ? !std::isnan(value)
                                                 : std::isfinite(value) && (numbers == Numbers::Finite || value >= 0.0);
    if (good) continue;
    refuse(at(name, i, shape), plain(value),
           numbers == Numbers::Bounds   ? "a number or infinity"
           : numbers == Numbers::Finite ? "a finite number"
                                        : "a finite number, at least 0");
  }
  return values;
}

std::vector<int> CheckedGroup::wholes(const std::string& name, const Shape& shape, int least, int most) const {
  const DatasetHandle dataset = open(name);
  const TypeHandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER) refuse(name, describe(kind), "whole numbers");
  requireShape(name, dataset, shape);
  const std::size_t count = product(shape);
  requireRoom(name, count, sizeof(std::int64_t));
  std::vector<std::int64_t> wide(count);  // HDF5 clips what does not fit
  if (count > 0 && H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    refuse(name, "numbers that cannot be read", "undamaged numbers, plain or compressed with gzip");
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (wide[i] < least || wide[i] > most)
      refuse(at(name, i, shape), std::to_string(wide[i]),
             least == most ? std::to_string(least)
                           : "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    values[i] = static_cast<int>(wide[i]);
  }
  return values;
}

std::vector<double> CheckedGroup::realRows(const std::string& name, hsize_t first, hsize_t count, const Shape& width) const {
  const DatasetHandle dataset = open(name);
  const TypeHandle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) refuse(name, describe(kind), "numbers");
  const Shape found = shapeOf(name, dataset);
  Shape block{count}, start(width.size() + 1, 0);
  block.insert(block.end(), width.begin(), width.end());
  start[0] = first;
  const bool fits = found.size() == block.size() && std::equal(width.begin(), width.end(), found.begin() + 1) &&
                    first <= found[0] && count <= found[0] - first;
  if (!fits) {
    Shape wanted = block;
    wanted[0] = first + count;
    refuse(name, describe(found), describe(wanted) + ", or more rows");
  }
  std::vector<double> values(product(block));
  if (values.empty()) return values;
  const SpaceHandle place(H5Dget_space(dataset));
  const SpaceHandle memory(H5Screate_simple(static_cast<int>(block.size()), block.data(), nullptr));
  if (H5Sselect_hyperslab(place, H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr) < 0 ||
      H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, values.data()) < 0)
    refuse(name, "numbers that cannot be read", "undamaged numbers, plain or compressed with gzip");
  return values;
}

std::string CheckedGroup::bytes(const std::string& name) const {
  const DatasetHandle dataset = open(name);
  const TypeHandle type(H5Dget_type(dataset));
  if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 1) refuse(name, "something else", "bytes");
  const Shape found = shapeOf(name, dataset);
  if (found.size() != 1) refuse(name, describe(found), "a list");
  requireRoom(name, found[0], 1);
  std::string text(found[0], '\0');
  if (!text.empty() && H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
    refuse(name, "bytes that cannot be read", "undamaged bytes");
  return text;
}

// Strings of varying length live in a heap of the file without checksums, and HDF5 1.10 may crash when that is damaged.
std::vector<std::string> CheckedGroup::readWords(const std::string& name, hid_t object, bool isAttribute,
                                                 std::size_t count) const {
  const TypeHandle type(isAttribute ? H5Aget_type(object) : H5Dget_type(object));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_STRING) refuse(name, describe(kind), "strings");
  if (H5Tis_variable_str(type) != 0)
    refuse(name, "strings of varying length", "strings of fixed length (in numpy: bytes_ or dtype=\"S\")");
  const std::size_t length = H5Tget_size(type);
  if (length > kLongestWord)
    refuse(name, "strings of " + std::to_string(length) + " bytes", "at most " + std::to_string(kLongestWord));
  requireRoom(name, count, length);
  std::string all(count * length, '\0');
  const herr_t status = isAttribute  ? H5Aread(object, type, all.data())
                        : count == 0 ? 0
                                     : H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  if (status < 0) refuse(name, "strings that cannot be read", "undamaged strings");
  const bool padded = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
  std::vector<std::string> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    words[i].assign(all.data() + i * length, strnlen(all.data() + i * length, length));
    while (padded && !words[i].empty() && words[i].back() == ' ') words[i].pop_back();
  }
  return words;
}

std::vector<std::string> CheckedGroup::words(const std::string& name) const {
  const DatasetHandle dataset = open(name);
  const Shape found = shapeOf(name, dataset);
  if (found.size() != 1) refuse(name, describe(found), "a list");
  requireRoom(name, found[0], 1);
  return readWords(name, dataset, false, found[0]);
}

namespace {
AttributeHandle openAttribute(const CheckedGroup& group, hid_t id, const std::string& name) {
  if (H5Aexists(id, name.c_str()) <= 0) return {};
  AttributeHandle attribute(H5Aopen(id, name.c_str(), H5P_DEFAULT));
  if (!attribute.good()) group.refuse("@" + name, "damage", "an undamaged HDF5 file");
  const SpaceHandle space(H5Aget_space(attribute));
  if (!space.good() || H5Sget_simple_extent_npoints(space) != 1)
    group.refuse("@" + name, "a list or nothing", "a single value");
  return attribute;
}
}  // namespace

std::optional<std::string> CheckedGroup::textAttribute(const std::string& name) const {
  const AttributeHandle attribute = openAttribute(*this, group_, name);
  if (!attribute.good()) return std::nullopt;
  return readWords("@" + name, attribute, true, 1).front();
}

std::optional<double> CheckedGroup::realAttribute(const std::string& name) const {
  const AttributeHandle attribute = openAttribute(*this, group_, name);
  if (!attribute.good()) return std::nullopt;
  const TypeHandle type(H5Aget_type(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) refuse("@" + name, describe(kind), "a number");
  double value = 0.0;
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) refuse("@" + name, "damage", "an undamaged number");
  if (!(std::isfinite(value) && value >= 0.0)) refuse("@" + name, plain(value), "a finite number, at least 0");
  return value;
}

}  // namespace cairn::hdf5
