// Files that are wrong on purpose, by accident, or out of malice: each is refused with the place of the mistake.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>
#include <random>
#include <sstream>

#include "files.hpp"
#include "hdf5/problem_file.hpp"

namespace cairn {
namespace {

using testing::errorOf;
using testing::makeRandomProblem;

using Shape = std::vector<hsize_t>;

// Works on an open file, at a place of it.
void remove(hid_t file, const std::string& where) { ASSERT_GE(H5Ldelete(file, where.c_str(), H5P_DEFAULT), 0) << where; }

void put(hid_t file, const std::string& where, hid_t type, const Shape& shape, const void* values,
         hid_t creation = H5P_DEFAULT) {
  if (H5Lexists(file, where.c_str(), H5P_DEFAULT) > 0) remove(file, where);
  const hid_t space =
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t dataset = H5Dcreate2(file, where.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  ASSERT_GE(dataset, 0) << where;
  if (values != nullptr) {
    ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  }
  H5Dclose(dataset);
  H5Sclose(space);
}

void putReals(hid_t file, const std::string& where, const Shape& shape, const std::vector<double>& values) {
  put(file, where, H5T_NATIVE_DOUBLE, shape, values.data());
}

void putWholes(hid_t file, const std::string& where, const std::vector<int>& values) {
  put(file, where, H5T_NATIVE_INT, {values.size()}, values.data());
}

void putWords(hid_t file, const std::string& where, const std::vector<std::string>& values) {
  std::size_t length = 1;
  for (const std::string& one : values) length = std::max(length, one.size());
  std::string all;
  for (const std::string& one : values) all += one + std::string(length - one.size(), '\0');
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, length);
  put(file, where, type, {values.size()}, all.data());
  H5Tclose(type);
}

void putAttribute(hid_t file, const std::string& where, const char* name, hid_t type, const Shape& shape,
                  const void* value) {
  const hid_t object = H5Oopen(file, where.c_str(), H5P_DEFAULT);
  if (H5Aexists(object, name) > 0) H5Adelete(object, name);
  const hid_t space =
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(H5Awrite(attribute, type, value), 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Oclose(object);
}

const std::string kOne = "/problems/0000/";

// Two planar blocks of one row (interval) and three (cone), by the matrix; the second problem has bodies.
class DamagedFile : public testing::ProblemFile {
 protected:
  void SetUp() override {
    ProblemFile::SetUp();
    ProblemData data;
    data.name = "matrix";
    data.blocks = {{.law = Law::Interval, .first = 0, .size = 1},
                   {.law = Law::Cone, .first = 1, .size = 3, .friction = {0.5, 0.5}}};
    data.delassus.resize(4, 4);
    for (int i = 0; i < 4; ++i) data.delassus.insert(i, i) = 1.0 + i;
    data.bias = Vector::Constant(4, -1.0);
    data.groupSolvers = {"bgs"};
    const auto bodies = makeRandomProblem({.bodies = 2, .contacts = 2}, 3);
    writeProblemHdf5(path("x.h5"),
                     std::vector<SavedProblem>{
                         {.name = "matrix", .problem = std::make_shared<ContactProblem>(data), .solution = Vector::Zero(4)},
                         {.name = "bodies", .problem = bodies, .solution = {}}});
  }

  // What reading says after `change` was made to the good file, without the file's name.
  std::string after(const std::function<void(hid_t)>& change) {
    std::filesystem::copy_file(path("x.h5"), path("y.h5"), std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(path("y.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    const std::string message = errorOf([&] { readProblemHdf5(path("y.h5")); });
    const std::string prefix = path("y.h5") + ": ";
    return message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
  }
};

TEST_F(DamagedFile, TheGoodFileIsGood) {
  EXPECT_EQ(after([](hid_t) {}), "");
  EXPECT_EQ(readProblemHdf5(path("x.h5")).size(), 2u);
}

TEST_F(DamagedFile, EveryMistakeIsNamedWithItsPlace) {
  const std::string &one = kOne, two = "/problems/0001/";
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::function<void(hid_t)>, std::string>> cases{
      {[](hid_t f) { H5Adelete(f, "format"); }, "/@format: found nothing; allowed: \"cairn-contact-problem 1\""},
      {[](hid_t f) {
         const char text[] = "cairn-contact-problem 9";
         const hid_t type = H5Tcopy(H5T_C_S1);
         H5Tset_size(type, sizeof text);
         putAttribute(f, "/", "format", type, {}, text);
         H5Tclose(type);
       },
       "/@format: found \"cairn-contact-problem 9\"; allowed: \"cairn-contact-problem 1\""},
      {[](hid_t f) {
         const int v = 1;
         putAttribute(f, "/", "format", H5T_NATIVE_INT, {}, &v);
       },
       "/@format: found whole numbers; allowed: strings"},
      {[](hid_t f) {
         const int v[2] = {1, 2};
         putAttribute(f, "/", "format", H5T_NATIVE_INT, {2}, v);
       },
       "/@format: found a list or nothing; allowed: a single value"},
      {[](hid_t f) { remove(f, "/problems"); }, "/problems: found nothing; allowed: must be there"},
      {[](hid_t f) {
         remove(f, "/problems");
         putReals(f, "/problems", {1}, {1});
       },
       "/problems: found something else, or damaged; allowed: a group"},
      {[](hid_t f) {
         remove(f, "/problems/0000");
         remove(f, "/problems/0001");
       },
       "/problems: found no problem; allowed: one at least"},
      {[](hid_t f) {
         remove(f, "/problems/0000");
         putReals(f, "/problems/0000", {1}, {1});
       },
       "/problems/0000: found something else, or damaged; allowed: a group"},
      {[](hid_t f) { H5Lcreate_soft("/problems/0001", f, "/problems/0002", H5P_DEFAULT, H5P_DEFAULT); },
       "/problems/0002: found a link to another place; allowed: the thing itself"},
      {[](hid_t f) { H5Lcreate_external("z.h5", "/", f, "/problems/0002", H5P_DEFAULT, H5P_DEFAULT); },
       "/problems/0002: found a link to another place; allowed: the thing itself"},
      {[](hid_t f) {
         H5Gclose(H5Gcreate2(f, std::string("/problems/").append(300, 'n').c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
       },
       std::string("/problems/: found the name \"").append(40, 'n') + "...\"; allowed: names of at most 255 bytes"},
      {[](hid_t f) { H5Gclose(H5Gcreate2(f, "/problems/\x1b[31m", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); },
       "/problems/?[31m/blocks: found nothing; allowed: must be there"},

      {[&](hid_t f) {
         const double v = -1;
         putAttribute(f, one, "speed_floor", H5T_NATIVE_DOUBLE, {}, &v);
       },
       one + "@speed_floor: found -1; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         const double v = NAN;
         putAttribute(f, one, "speed_floor", H5T_NATIVE_DOUBLE, {}, &v);
       },
       one + "@speed_floor: found nan; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         const char v = 'x';
         putAttribute(f, one, "speed_floor", H5T_C_S1, {}, &v);
       },
       one + "@speed_floor: found strings; allowed: a number"},
      {[&](hid_t f) {
         const int v = 3;
         putAttribute(f, one, "name", H5T_NATIVE_INT, {}, &v);
       },
       one + "@name: found whole numbers; allowed: strings"},

      {[&](hid_t f) { remove(f, one + "blocks"); }, one + "blocks: found nothing; allowed: must be there"},
      {[&](hid_t f) { remove(f, one + "blocks/law"); }, one + "blocks/law: found nothing; allowed: must be there"},
      {[&](hid_t f) {
         putWords(f, one + "blocks/law", {"interval", "conee"});
       },
       one + "blocks/law[1]: found \"conee\"; allowed: free, interval, box, pyramid, cone"},
      {[&](hid_t f) {
         putWords(f, one + "blocks/law", {"", "cone"});
       },
       one + "blocks/law[0]: found \"\"; allowed: free, interval, box, pyramid, cone"},
      {[&](hid_t f) {
         putWholes(f, one + "blocks/law", {1, 4});
       },
       one + "blocks/law: found whole numbers; allowed: strings"},
      {[&](hid_t f) {
         putWords(f, one + "blocks/law", {"interval", "cone", "cone"});
       },
       one + "blocks/size: found the shape 2; allowed: the shape 3"},
      {[&](hid_t f) {
         putWords(f, one + "blocks/law", {"interval", std::string(5000, 'c')});
       },
       one + "blocks/law: found strings of 5000 bytes; allowed: at most 4096"},
      {[&](hid_t f) { put(f, one + "blocks/law", H5T_C_S1, {}, "c"); },
       one + "blocks/law: found a single value; allowed: a list"},
      {[&](hid_t f) {
         const char* words[] = {"interval", "cone"};
         const hid_t type = H5Tcopy(H5T_C_S1);
         H5Tset_size(type, H5T_VARIABLE);
         put(f, one + "blocks/law", type, {2}, words);
         H5Tclose(type);
       },
       one + "blocks/law: found strings of varying length; allowed: strings of fixed length (in numpy: bytes_ or "
             "dtype=\"S\")"},
      {[&](hid_t f) {
         remove(f, one + "blocks/law");
         H5Gclose(H5Gcreate2(f, (one + "blocks/law").c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
       },
       one + "blocks/law: found something else, or damaged; allowed: a dataset"},
      {[&](hid_t f) { remove(f, one + "blocks/size"); }, one + "blocks/size: found nothing; allowed: must be there"},
      {[&](hid_t f) {
         putWholes(f, one + "blocks/size", {1, 7});
       },
       one + "blocks/size[1]: found 7; allowed: a whole number from 1 to 6"},
      {[&](hid_t f) {
         putWholes(f, one + "blocks/size", {0, 3});
       },
       one + "blocks/size[0]: found 0; allowed: a whole number from 1 to 6"},
      {[&](hid_t f) {
         const std::uint64_t v[] = {1, ~std::uint64_t{0}};
         put(f, one + "blocks/size", H5T_NATIVE_UINT64, {2}, v);
       },
       one + "blocks/size[1]: found 9223372036854775807; allowed: a whole number from 1 to 6"},
      {[&](hid_t f) {
         putReals(f, one + "blocks/size", {2}, {1, 3});
       },
       one + "blocks/size: found floating-point numbers; allowed: whole numbers"},
      {[&](hid_t f) { put(f, one + "blocks/size", H5T_NATIVE_OPAQUE, {2}, nullptr); },
       one + "blocks/size: found raw bytes; allowed: whole numbers"},
      {[&](hid_t f) {
         putReals(f, one + "blocks/friction", {2}, {0.5, 0.5});
       },
       one + "blocks/friction: found the shape 2; allowed: the shape 2 x 2"},
      {[&](hid_t f) {
         putReals(f, one + "blocks/friction", {2, 2}, {0, 0, 0.5, -0.5});
       },
       one + "blocks/friction[1, 1]: found -0.5; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         putReals(f, one + "blocks/friction", {2, 2}, {0, 0, infinity, 1});
       },
       one + "blocks/friction[1, 0]: found inf; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         putWholes(f, one + "blocks/facets", {0, 2000});
       },
       one + "blocks/facets[1]: found 2000; allowed: a whole number from 0 to 1024"},
      {[&](hid_t f) {
         putWholes(f, one + "blocks/group", {-1, 0});
       },
       one + "blocks/group[0]: found -1; allowed: a whole number from 0 to 2147483647"},
      {[&](hid_t f) {
         putWords(f, one + "blocks/law", {"interval", "pyramid"});
       },
       one + ": found what makes no problem (contact problem \"matrix\": blocks[1].facets: found 0; allowed: an even number "
             "from 4 to 1024); allowed: see docs/contact-problems.md"},

      {[&](hid_t f) {
         putReals(f, one + "rows/bias", {4}, {0, 0, nan, 0});
       },
       one + "rows/bias[2]: found nan; allowed: a finite number"},
      {[&](hid_t f) {
         putReals(f, one + "rows/bias", {5}, {0, 0, 0, 0, 0});
       },
       one + "rows/bias: found the shape 5; allowed: the shape 4"},
      {[&](hid_t f) {
         putReals(f, one + "rows/bias", {4, 1}, {0, 0, 0, 0});
       },
       one + "rows/bias: found the shape 4 x 1; allowed: the shape 4"},
      {[&](hid_t f) {
         putWords(f, one + "rows/bias", {"a", "b", "c", "d"});
       },
       one + "rows/bias: found strings; allowed: numbers"},
      {[&](hid_t f) {
         putReals(f, one + "rows/lower", {4}, {nan, 0, 0, 0});
       },
       one + "rows/lower[0]: found nan; allowed: a number or infinity"},
      {[&](hid_t f) {
         putReals(f, one + "rows/upper", {4}, {-1, 0, 0, 0});
       },
       one +
           ": found what makes no problem (contact problem \"matrix\": lower[0]: is above upper, or not a number); allowed: "
           "see docs/contact-problems.md"},
      {[&](hid_t f) {
         putReals(f, one + "rows/compliance", {4}, {0, 0, -1e-9, 0});
       },
       one + "rows/compliance[2]: found -1e-09; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         putReals(f, one + "rows/warm_start", {4}, {0, infinity, 0, 0});
       },
       one + "rows/warm_start[1]: found inf; allowed: a finite number"},
      {[&](hid_t f) {
         putReals(f, one + "solution", {3}, {0, 0, 0});
       },
       one + "solution: found the shape 3; allowed: the shape 4"},
      {[&](hid_t f) {
         putReals(f, one + "solution", {4}, {0, 0, 0, nan});
       },
       one + "solution[3]: found nan; allowed: a finite number"},
      {[&](hid_t f) { putReals(f, one + "group_solvers", {1}, {0}); },
       one + "group_solvers: found floating-point numbers; allowed: strings"},

      {[&](hid_t f) { remove(f, one + "delassus"); },
       one + ": found neither bodies nor delassus; allowed: bodies with jacobians, or delassus alone"},
      {[&](hid_t f) { H5Gclose(H5Gcreate2(f, (one + "bodies").c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); },
       one + ": found both bodies and delassus; allowed: bodies with jacobians, or delassus alone"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {0, 1, 2, 3});
       },
       one + "delassus/row_start: found the shape 4; allowed: the shape 5"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {0, 1, 2, 3, 5});
       },
       one + "delassus/row_start[4]: found 5; allowed: a whole number from 0 to 4"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {0, 1, 2, 3, 3});
       },
       one + "delassus/row_start[4]: found 3; allowed: 4, the number of entries"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {1, 1, 2, 3, 4});
       },
       one + "delassus/row_start[0]: found 1; allowed: 0"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {0, 3, 2, 3, 4});
       },
       one + "delassus/row_start[2]: found less than the number before; allowed: numbers that do not fall"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/column", {0, 1, 2, 4});
       },
       one + "delassus/column[3]: found 4; allowed: a whole number from 0 to 3"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/column", {-1, 1, 2, 3});
       },
       one + "delassus/column[0]: found -1; allowed: a whole number from 0 to 3"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/row_start", {0, 2, 2, 3, 4});
         putWholes(f, one + "delassus/column", {1, 1, 2, 3});
       },
       one + "delassus/column[1]: found 1 after 1 in the same row; allowed: numbers that rise along a row"},
      {[&](hid_t f) {
         putWholes(f, one + "delassus/column", {0, 1, 2});
       },
       one + "delassus/column: found the shape 3; allowed: the shape 4"},
      {[&](hid_t f) {
         putReals(f, one + "delassus/value", {4}, {1, 1, infinity, 1});
       },
       one + "delassus/value[2]: found inf; allowed: a finite number"},
      {[&](hid_t f) {
         putReals(f, one + "delassus/value", {2, 2}, {1, 1, 1, 1});
       },
       one + "delassus/value: found no list, or too long a one; allowed: a list with a number for each entry"},

      {[&](hid_t f) {
         putReals(f, two + "bodies/inverse_mass", {2}, {1, -1});
       },
       two + "bodies/inverse_mass[1]: found -1; allowed: a finite number, at least 0"},
      {[&](hid_t f) {
         putReals(f, two + "bodies/inverse_mass", {2, 1}, {1, 1});
       },
       two + "bodies/inverse_mass: found a table; allowed: a list with a number for each body"},
      {[&](hid_t f) {
         putReals(f, two + "bodies/inverse_mass", {3}, {1, 1, 1});
       },
       two + "bodies/inverse_inertia: found the shape 2 x 3 x 3; allowed: the shape 3 x 3 x 3"},
      {[&](hid_t f) { remove(f, two + "bodies/inverse_inertia"); },
       two + "bodies/inverse_inertia: found nothing; allowed: must be there"},
      {[&](hid_t f) {
         putReals(f, two + "bodies/free_velocity", {2, 6}, std::vector<double>(12, nan));
       },
       two + "bodies/free_velocity[0, 0]: found nan; allowed: a finite number"},
      {[&](hid_t f) { remove(f, two + "jacobians"); }, two + "jacobians: found nothing; allowed: must be there"},
      {[&](hid_t f) {
         putWholes(f, two + "jacobians/body_b", {0, 2});
       },
       two + "jacobians/body_b[1]: found 2; allowed: a whole number from -1 to 1"},
      {[&](hid_t f) {
         putWholes(f, two + "jacobians/body_b", {-2, 0});
       },
       two + "jacobians/body_b[0]: found -2; allowed: a whole number from -1 to 1"},
      {[&](hid_t f) {
         putWholes(f, two + "jacobians/body_b", {-1, 0});
       },
       two + "jacobians/part_b[0]: found numbers for a block without a body (body_b -1); allowed: zeros"},
      {[&](hid_t f) {
         putReals(f, two + "jacobians/part_b", {5, 6}, std::vector<double>(30, 0.0));
       },
       two + "jacobians/part_b: found the shape 5 x 6; allowed: the shape 6 x 6"},
      {[&](hid_t f) {
         putWholes(f, two + "jacobians/body_a", {0, 0});
         putWholes(f, two + "jacobians/body_b", {0, 1});
       },
       two + ": found what makes no problem (contact problem \"bodies\": jacobians[0]: names the same body twice); allowed: "
             "see docs/contact-problems.md"},
  };
  for (const auto& [change, message] : cases) EXPECT_EQ(after(change), message);
}

// Claims that no memory should be asked for, and data that is not in the file.
TEST_F(DamagedFile, HugeAndForeignDatasetsAreRefusedBeforeTheyAreRead) {
  const std::string& one = kOne;
  const auto begins = [](const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
  };
  const std::string huge = after([&](hid_t f) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 16;
    H5Pset_chunk(creation, 1, &chunk);
    put(f, one + "delassus/value", H5T_NATIVE_DOUBLE, {2000000000}, nullptr, creation);
    put(f, one + "delassus/column", H5T_NATIVE_INT, {2000000000}, nullptr, creation);
    H5Pclose(creation);
  });
  EXPECT_TRUE(begins(huge, one + "delassus/column: found 2000000000 values of 8 bytes; allowed: at most ")) << huge;
  const std::string laws = after([&](hid_t f) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 16;
    H5Pset_chunk(creation, 1, &chunk);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 1000000);
    put(f, one + "blocks/law", type, {1000}, nullptr, creation);
    H5Tclose(type);
    H5Pclose(creation);
  });
  EXPECT_TRUE(begins(laws, one + "blocks/law: found ")) << laws;
  const std::string chunks = after([&](hid_t f) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {1000000, 500};
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_deflate(creation, 1);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_LATE);
    const hsize_t now[2] = {2, 2}, most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    remove(f, one + "blocks/friction");
    const hid_t space = H5Screate_simple(2, now, most);
    H5Dclose(H5Dcreate2(f, (one + "blocks/friction").c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
  });
  EXPECT_TRUE(begins(chunks, one + "blocks/friction: found ") &&
              chunks.find("values of 8 bytes; allowed: at most") != std::string::npos)
      << chunks;
  std::ofstream(path("secret")) << std::string(64, 'x');
  EXPECT_EQ(after([&](hid_t f) {
              const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
              H5Pset_external(creation, path("secret").c_str(), 0, 32);
              put(f, one + "rows/bias", H5T_NATIVE_DOUBLE, {4}, nullptr, creation);
              H5Pclose(creation);
            }),
            one + "rows/bias: found numbers kept in other files; allowed: numbers in the dataset itself");
  EXPECT_EQ(after([&](hid_t f) {
              const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
              const hsize_t four = 4;
              const hid_t space = H5Screate_simple(1, &four, nullptr);
              H5Pset_virtual(creation, space, path("x.h5").c_str(), "/problems/0000/rows/lower", space);
              put(f, one + "rows/bias", H5T_NATIVE_DOUBLE, {4}, nullptr, creation);
              H5Sclose(space);
              H5Pclose(creation);
            }),
            one + "rows/bias: found numbers kept in other datasets; allowed: numbers in the dataset itself");
}

TEST_F(DamagedFile, FilesThatAreNotThereOrSomethingElse) {
  EXPECT_EQ(errorOf([&] { readProblemHdf5(path("no.h5")); }),
            path("no.h5") + ": cannot be read: No such file or directory; allowed: an HDF5 file");
  EXPECT_EQ(errorOf([&] { readProblems(path("no.h5")); }),
            path("no.h5") + ": cannot be read: No such file or directory; allowed: a file with a contact problem");
  EXPECT_EQ(errorOf([&] { readProblems(folder_.string()); }),
            folder_.string() + ": found a directory; allowed: a file with a contact problem");
  std::ofstream(path("text")) << "hello";
  EXPECT_EQ(errorOf([&] { readProblemHdf5(path("text")); }), path("text") + ": found something else; allowed: an HDF5 file");
  EXPECT_EQ(errorOf([&] { readProblems(path("text")); }), path("text") + ":1: first word: found \"hello\"; allowed: FCP1");
  std::ofstream(path("short"), std::ios::binary) << "\x89HDF\r\n\x1a\n\x02";
  EXPECT_EQ(errorOf([&] { readProblems(path("short")); }),
            path("short") + ": found an HDF5 file that cannot be opened, so damaged or locked; allowed: a good one");
}

// 500 damaged files: read or refused, nothing else.
TEST_F(DamagedFile, DamageIsReadOrRefused) {
  const auto problem = makeRandomProblem({.bodies = 30, .contacts = 100}, 5);  // so that most of the file is numbers
  writeProblemHdf5(path("f.h5"), std::vector<SavedProblem>{{.name = "x", .problem = problem, .solution = {}}});
  std::stringstream all;
  all << std::ifstream(path("f.h5"), std::ios::binary).rdbuf();
  const std::string good = all.str();
  std::mt19937 random(99);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int read = 0, refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bytes = good;
    if (below(5) == 0) bytes.resize(below(bytes.size()));
    for (std::size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = below(bytes.size());
      if (below(2) == 0) {
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      } else {
        for (std::size_t k = at; k < std::min(bytes.size(), at + 1 + below(16)); ++k)
          bytes[k] = static_cast<char>(below(256));
      }
    }
    std::ofstream(path("z.h5"), std::ios::binary) << bytes;
    const std::string message = errorOf([&] {
      const auto problems = readProblems(path("z.h5"));
      ASSERT_LE(problems.size(), 10u);
      ++read;
    });
    if (message.empty()) continue;
    ++refused;
    ASSERT_EQ(message.compare(0, path("z.h5").size(), path("z.h5")), 0) << message;
    ASSERT_LT(message.size(), 1000u);
  }
  EXPECT_EQ(read + refused, 500);
  EXPECT_GT(read, 20);  // a number that became another number
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace cairn
