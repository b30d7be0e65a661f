// Recordings that are wrong in every way: a message with the place of the mistake, exit code 2, and never a crash.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <functional>
#include <random>

#include "../app/running.hpp"
#include "export/recorded_run.hpp"
#include "export/scene_description.hpp"
#include "problem/problem_file_error.hpp"

namespace cairn {
namespace {

class DamagedRecording : public InAFolder {
 protected:
  void SetUp() override {
    InAFolder::SetUp();
    ASSERT_EQ(run({"run", "shapes", "--seconds", "0.5", "--quiet", "--record", path("x.h5")}).code, 0);
  }
  // What `cairn export` says after the change, without the file's name.
  std::string after(const std::function<void(hid_t)>& change) {
    std::filesystem::copy_file(path("x.h5"), path("y.h5"), std::filesystem::copy_options::overwrite_existing);
    const hid_t file = H5Fopen(path("y.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    change(file);
    H5Fclose(file);
    const Outcome outcome = run({"export", path("y.h5"), path("y.csv"), "--quiet"});
    EXPECT_EQ(outcome.code, outcome.err.empty() ? 0 : 2);
    const std::string prefix = "cairn: " + path("y.h5") + ": ";
    return outcome.err.compare(0, prefix.size(), prefix) == 0 ? outcome.err.substr(prefix.size()) : outcome.err;
  }
  static void overwrite(hid_t file, const char* name, std::size_t place, double value) {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    values.at(place) = value;
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(dataset);
  }
  static void replaceBytes(hid_t file, const char* name, const std::string& text) {
    H5Ldelete(file, name, H5P_DEFAULT);
    const hsize_t count = text.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t dataset = H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), 0);
    H5Dclose(dataset);
    H5Sclose(space);
  }
  static void resize(hid_t file, const char* name, std::vector<hsize_t> shape) {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(H5Dset_extent(dataset, shape.data()), 0);
    H5Dclose(dataset);
  }
};

TEST_F(DamagedRecording, EveryMistakeIsNamedWithItsPlace) {
  EXPECT_EQ(after([](hid_t) {}), "");
  const std::vector<std::pair<std::function<void(hid_t)>, std::string>> cases{
      {[](hid_t f) { H5Adelete(f, "format"); }, "/@format: found nothing; allowed: \"cairn-recording 2\""},
      {[](hid_t f) { H5Adelete(f, "dt"); }, "/@dt, @every: found 0 and 1; allowed: numbers above 0"},
      {[](hid_t f) { H5Ldelete(f, "scene", H5P_DEFAULT); }, "/scene: found nothing"},
      {[](hid_t f) { H5Ldelete(f, "report", H5P_DEFAULT); }, "/report: found nothing"},
      {[](hid_t f) { H5Ldelete(f, "steps/spins", H5P_DEFAULT); }, "/steps/spins: found nothing"},
      {[](hid_t f) { replaceBytes(f, "scene", "{\"name\": "); }, "/scene: found a wrong description (found no JSON"},
      {[](hid_t f) { replaceBytes(f, "scene", std::string(1000000, '[')); },
       "/scene: found a wrong description (found no JSON"},
      {[](hid_t f) { replaceBytes(f, "scene", "{}"); }, "/scene: found a wrong description (scene: name is missing"},
      {[](hid_t f) { replaceBytes(f, "scene", "[]"); }, "/scene: found a wrong description (scene: found something else"},
      {[](hid_t f) { replaceBytes(f, "report", "</script>"); }, "/report: found no JSON; allowed: the report of a run"},
      {[](hid_t f) { overwrite(f, "steps/time", 3, 0.0); }, "/steps/time[3]: found 0; allowed: a time after the one before"},
      {[](hid_t f) { overwrite(f, "steps/time", 3, NAN); }, "/steps/time[3]: found nan"},
      {[](hid_t f) { overwrite(f, "steps/step", 1, -5); }, "/steps/step[1]: found -5"},
      {[](hid_t f) { overwrite(f, "steps/positions", 40, INFINITY); }, "/steps/positions[1]: found a body at"},
      {[](hid_t f) { overwrite(f, "steps/positions", 40, NAN); }, "/steps/positions[1]: found a body at"},
      {[](hid_t f) { overwrite(f, "steps/positions", 40, 1e300); }, "/steps/positions[1]: found a body at"},
      {[](hid_t f) { overwrite(f, "steps/rotations", 7, 1e10); }, "/steps/rotations[0]: found"},
      {[](hid_t f) { overwrite(f, "steps/rotations", 7, NAN); }, "/steps/rotations[0]: found"},
      {[](hid_t f) { resize(f, "steps/time", {7}); }, "/steps/time: found 7 rows; allowed: 31, as the others have"},
      {[](hid_t f) { resize(f, "steps/time", {4000000000}); }, "/steps/time: found 4000000000 rows"},
      {[](hid_t f) {
         H5Ldelete(f, "steps/positions", H5P_DEFAULT);
         const hsize_t shape[3] = {31, 7, 3};
         const hid_t space = H5Screate_simple(3, shape, nullptr);
         H5Dclose(H5Dcreate2(f, "steps/positions", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
         H5Sclose(space);
       },
       "/steps/positions: found the wrong number of columns; allowed: as many as there are bodies in the scene (8)"},
      {[](hid_t f) {
         H5Ldelete(f, "steps/positions", H5P_DEFAULT);
         H5Lcreate_external("/etc/hostname", "/", f, "steps/positions", H5P_DEFAULT, H5P_DEFAULT);
       },
       "/steps/positions: found a link to another place"},
  };
  for (const auto& [change, message] : cases) {
    const std::string said = after(change);
    EXPECT_EQ(said.substr(0, message.size()), message);
  }
}

TEST_F(DamagedRecording, OtherFilesAreRefused) {
  const auto said = [&](const std::string& file, const std::string& out) {
    const Outcome outcome = run({"export", file, out});
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_TRUE(has(said(path("none.h5"), path("y.csv")), "cannot be read"));
  EXPECT_TRUE(has(said(write("text.h5", "hello"), path("y.csv")), "found something else; allowed: an HDF5 file"));
  EXPECT_TRUE(has(said(folder_.string(), path("y.csv")), "cannot be read"));
  EXPECT_TRUE(has(said(path("x.h5"), path("y.xyz")), "allowed: .csv (a table), .glb"));
  EXPECT_TRUE(has(said(path("x.h5"), path("y.h5")), "found the ending \".h5\""));
  EXPECT_TRUE(has(said(path("x.h5"), path("none/y.csv")), "no directory"));
  std::filesystem::copy_file(path("x.h5"), path("x.csv"));
  EXPECT_TRUE(has(said(path("x.csv"), path("x.csv")), "two files"));
  // A contact problem is HDF5 too.
  const auto back = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  ASSERT_EQ(run({"run", "stack25", "--seconds", "0.1", "--quiet", "--dump-problem", "2"}).code, 0);
  EXPECT_TRUE(has(said(path("stack25-step2.h5"), path("y.csv")), "cairn-recording 2"));
  std::filesystem::current_path(back);
}

// Wherever a byte is wrong or the rest is missing: an answer or a message.
TEST_F(DamagedRecording, AnyByteMayBeWrongAndAnyEndMissing) {
  const std::string good = text("x.h5");
  std::mt19937 random(11);
  int refused = 0;
  const auto attempt = [&](const std::string& bytes) {
    std::ofstream(path("z.h5"), std::ios::binary) << bytes;
    try {
      RecordedRun recorded(path("z.h5"));
      for (Moment moment; recorded.next(moment);)
        for (const BodyState& state : moment.bodies) ASSERT_TRUE(!Moment::isThere(state) || state.pose.position.allFinite());
    } catch (const ProblemFileError& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
      ++refused;
    }
  };
  for (std::size_t length = 0; length < good.size(); length += 1 + good.size() / 300) attempt(good.substr(0, length));
  EXPECT_GT(refused, 250);
  for (int trial = 0; trial < 1500; ++trial) {
    std::string bad = good;
    const int flips = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < flips; ++k) bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    attempt(bad);
  }
  // What describes the file stands at its beginning, and is worth more trials.
  for (std::size_t place = 0; place < std::min<std::size_t>(good.size(), 6000); place += 3) {
    std::string bad = good;
    bad[place] ^= static_cast<char>(1 + random() % 255);
    attempt(bad);
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(DamagedRecording, AnyDescriptionIsReadOrRefused) {
  const std::string good = RecordedRun(path("x.h5")).scene().json;
  std::mt19937 random(5);
  const std::vector<std::string> words{"null", "-1",   "1e999", "1e300",   "\"\"",      "[]",
                                       "{}",   "true", "0",     "[0,0,0]", "4294967295"};
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bad = good;
    const std::size_t place = random() % bad.size();
    if (trial % 2 == 0) {
      const std::size_t colon = bad.find(':', place);
      if (colon == std::string::npos) continue;
      const std::size_t end = bad.find_first_of(",}]", colon);
      bad.replace(colon + 1, end - colon - 1, words[random() % words.size()]);
    } else {
      bad[place] = static_cast<char>(random());
    }
    try {
      readDescription(bad);
    } catch (const DescriptionError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace cairn
