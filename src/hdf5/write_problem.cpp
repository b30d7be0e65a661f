#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hdf5/format.hpp"
#include "hdf5/handle.hpp"
#include "hdf5/problem_file.hpp"

namespace cairn {

namespace {

using Shape = std::vector<hsize_t>;

// Fails for reasons of the machine only: a full disk, a folder that may not be written.
struct CannotWrite {};

hid_t must(hid_t id) {
  if (id < 0) throw CannotWrite{};
  return id;
}

class Writer {
 public:
  Writer(hid_t parent, const char* name) : group_(must(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))) {}

  Writer group(const char* name) const { return Writer(group_, name); }
  void reals(const char* name, const Shape& shape, const double* values) const {
    write(name, shape, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
  }
  void reals(const char* name, const Vector& values) const {
    reals(name, {static_cast<hsize_t>(values.size())}, values.data());
  }
  void wholes(const char* name, const std::vector<int>& values) const {
    write(name, {values.size()}, H5T_STD_I32LE, H5T_NATIVE_INT, values.data());
  }
  void words(const char* name, const std::vector<std::string>& values) const {
    std::size_t longest = 1;
    for (const std::string& one : values) longest = std::max(longest, one.size());
    std::string all;
    for (const std::string& one : values) all += one + std::string(longest - one.size(), '\0');
    const hdf5::TypeHandle type = stringType(longest);
    write(name, {values.size()}, type, type, all.data());
  }
  void attribute(const char* name, double value) const {
    const hdf5::SpaceHandle space(must(H5Screate(H5S_SCALAR)));
    const hdf5::AttributeHandle attribute(must(H5Acreate2(group_, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT)));
    must(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value));
  }
  void attribute(const char* name, const std::string& text) const { writeText(group_, name, text); }

  static void writeText(hid_t object, const char* name, const std::string& text) {
    const hdf5::TypeHandle type = stringType(text.size());
    const hdf5::SpaceHandle space(must(H5Screate(H5S_SCALAR)));
    const hdf5::AttributeHandle attribute(must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)));
    must(H5Awrite(attribute, type, text.empty() ? "" : text.data()));
  }

 private:
  static hdf5::TypeHandle stringType(std::size_t length) {
    hdf5::TypeHandle type(must(H5Tcopy(H5T_C_S1)));
    must(H5Tset_size(type, std::max<std::size_t>(length, 1)));
    must(H5Tset_strpad(type, H5T_STR_NULLPAD));
    must(H5Tset_cset(type, H5T_CSET_UTF8));
    return type;
  }
  void write(const char* name, const Shape& shape, hid_t fileType, hid_t memoryType, const void* values) const {
    const hdf5::SpaceHandle space(must(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
    const hdf5::DatasetHandle dataset(
        must(H5Dcreate2(group_, name, fileType, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    if (H5Sget_simple_extent_npoints(space) > 0) must(H5Dwrite(dataset, memoryType, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  }
  hdf5::GroupHandle group_;
};

void writeBlocks(const Writer& group, const std::vector<Block>& blocks) {
  std::vector<std::string> laws;
  std::vector<int> sizes, facets, groups;
  std::vector<double> friction;
  for (const Block& block : blocks) {
    laws.emplace_back(nameOf(block.law));
    sizes.push_back(block.size);
    facets.push_back(block.facets);
    groups.push_back(block.group);
    friction.insert(friction.end(), block.friction.begin(), block.friction.end());
  }
  group.words(hdf5::kLaw, laws);
  group.wholes(hdf5::kSize, sizes);
  group.reals(hdf5::kFriction, {blocks.size(), 2}, friction.data());
  group.wholes(hdf5::kFacets, facets);
  group.wholes(hdf5::kGroup, groups);
}

void writeBodies(const Writer& problem, const ProblemData& data, const FreeBodies& bodies, hsize_t rows) {
  using PartRows = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
  const hsize_t count = bodies.items().size();
  std::vector<double> masses, inertias;
  for (const FreeBodies::Item& item : bodies.items()) {
    masses.push_back(item.inverseMass);
    for (int k = 0; k < 9; ++k) inertias.push_back(item.inverseInertia(k / 3, k % 3));
  }
  const Writer group = problem.group(hdf5::kBodies);
  group.reals(hdf5::kInverseMass, {count}, masses.data());
  group.reals(hdf5::kInverseInertia, {count, 3, 3}, inertias.data());
  group.reals(hdf5::kFreeVelocity, {count, 6}, data.freeVelocity.data());

  std::vector<int> a, b;
  PartRows partA = PartRows::Zero(static_cast<Eigen::Index>(rows), 6), partB = partA;
  for (std::size_t i = 0; i < data.blocks.size(); ++i) {
    const BlockJacobian& jacobian = data.jacobians[i];
    a.push_back(jacobian.a);
    b.push_back(jacobian.b);
    if (jacobian.a >= 0) partA.middleRows(data.blocks[i].first, data.blocks[i].size) = jacobian.partA;
    if (jacobian.b >= 0) partB.middleRows(data.blocks[i].first, data.blocks[i].size) = jacobian.partB;
  }
  const Writer jacobians = problem.group(hdf5::kJacobians);
  jacobians.wholes(hdf5::kBodyA, a);
  jacobians.wholes(hdf5::kBodyB, b);
  jacobians.reals(hdf5::kPartA, {rows, 6}, partA.data());
  jacobians.reals(hdf5::kPartB, {rows, 6}, partB.data());
}

void writeMatrix(const Writer& group, SparseMatrix w) {
  w.makeCompressed();
  const hsize_t entries = static_cast<hsize_t>(w.nonZeros());
  group.wholes(hdf5::kRowStart, std::vector<int>(w.outerIndexPtr(), w.outerIndexPtr() + w.rows() + 1));
  group.wholes(hdf5::kColumn, std::vector<int>(w.innerIndexPtr(), w.innerIndexPtr() + entries));
  group.reals(hdf5::kValue, {entries}, w.valuePtr());
}

void writeOne(const Writer& group, const SavedProblem& saved) {
  const ContactProblem& problem = *saved.problem;
  const ProblemData& data = problem.data();
  const auto* free = dynamic_cast<const FreeBodies*>(data.inverseMass.get());
  const bool coupled = problem.hasBodies() && free == nullptr;
  group.attribute(hdf5::kName, saved.name.empty() ? data.name : saved.name);
  group.attribute(hdf5::kSpeedFloor, data.speedFloor);
  writeBlocks(group.group(hdf5::kBlocks), data.blocks);
  {
    const Writer rows = group.group(hdf5::kRows);
    rows.reals(hdf5::kLower, data.lower);
    rows.reals(hdf5::kUpper, data.upper);
    rows.reals(hdf5::kBias, coupled ? problem.b() : data.bias);
    if (!coupled) rows.reals(hdf5::kCompliance, data.compliance);  // else it is part of W
    rows.reals(hdf5::kWarmStart, data.warmStart);
  }
  if (!data.groupSolvers.empty()) group.words(hdf5::kGroupSolvers, data.groupSolvers);
  if (free != nullptr) {
    writeBodies(group, data, *free, static_cast<hsize_t>(problem.rows()));
  } else {
    writeMatrix(group.group(hdf5::kDelassus), coupled ? problem.delassus() : data.delassus);
  }
  if (saved.solution.size() > 0) group.reals(hdf5::kSolution, saved.solution);
}

void writeAll(const std::string& path, std::span<const SavedProblem> problems) {
  // From HDF5 1.8 on its own bookkeeping carries checksums, so that damage is noticed.
  const hdf5::ListHandle access(must(H5Pcreate(H5P_FILE_ACCESS)));
  must(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110));
  hdf5::FileHandle file(must(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access)));
  Writer::writeText(file, hdf5::kFormatAttribute, hdf5::kFormat);
  {
    const Writer all(file, hdf5::kProblems);
    for (std::size_t i = 0; i < problems.size(); ++i)
      writeOne(all.group(hdf5::problemGroup(i, problems.size()).c_str()), problems[i]);
  }
  must(H5Fflush(file, H5F_SCOPE_GLOBAL));
}

}  // namespace

void writeProblemHdf5(const std::string& path, std::span<const SavedProblem> problems) {
  if (problems.empty()) throw std::invalid_argument("writeProblemHdf5: there is no problem to write");
  for (const SavedProblem& one : problems)
    if (one.solution.size() != 0 && one.solution.size() != one.problem->rows())
      throw std::invalid_argument("writeProblemHdf5: " + one.name + ": solution: has " +
                                  std::to_string(one.solution.size()) + " numbers; expected " +
                                  std::to_string(one.problem->rows()));
  const std::string temporary = path + "." + std::to_string(getpid()) + ".part";
  const hdf5::Silence silence;
  errno = 0;
  try {
    writeAll(temporary, problems);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw CannotWrite{};
  } catch (const CannotWrite&) {
    const std::string why = errno != 0 ? std::strerror(errno) : "HDF5 refused";
    unlink(temporary.c_str());
    throw ProblemFileError(path + ": cannot be written: " + why);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

}  // namespace cairn
