// Problems as text: nothing lost on the way there and back, and every kind of wrong file refused with its line.
#include "problem/text_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fc3d.hpp"
#include "solvers/random_problems.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using testing::makeRandomProblem;

const fs::path kData = fs::path(CAIRN_SOURCE_DIR) / "tests/data";

std::string fileText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool sameBits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0);
}

// Entry for entry, the explicit zeros too.
bool sameBits(const SparseMatrix& a, const SparseMatrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.nonZeros() != b.nonZeros()) return false;
  for (int row = 0; row < a.rows(); ++row) {
    SparseMatrix::InnerIterator x(a, row), y(b, row);
    for (; x && y; ++x, ++y)
      if (x.col() != y.col() || std::bit_cast<std::uint64_t>(x.value()) != std::bit_cast<std::uint64_t>(y.value()))
        return false;
    if (x || y) return false;
  }
  return true;
}

std::string errorOf(const std::string& text) {
  try {
    parseProblemText(text, "x.fcp");
  } catch (const ProblemFileError& error) {
    return error.what();
  }
  return "no error";
}

// Two planar contacts that act on each other.
constexpr const char* kSmall =
    "FCP1 2 2 4\n"
    "0 0 2 0.5 0.5 1\n"
    "0 1 -1 0 0 0.25\n"
    "1 0 -1 0 0 0.25\n"
    "1 1 2 -0.5 -0.5 1\n"
    "-1 0.5 -2 1e-3\n"
    "0.5 0.25\n";

TEST(TextFile, ASmallProblemIsWhatItSays) {
  const auto problem = parseProblemText(kSmall, "folder/small.one.fcp");
  EXPECT_EQ(problem->name(), "small.one");
  ASSERT_EQ(problem->rows(), 4);
  ASSERT_EQ(problem->blocks().size(), 2u);
  Matrix w(4, 4);
  w << 2, 0.5, -1, 0, 0.5, 1, 0, 0.25, -1, 0, 2, -0.5, 0, 0.25, -0.5, 1;
  EXPECT_EQ(problem->denseDelassus(), w);
  EXPECT_EQ(problem->b(), (Vector(4) << -1, 0.5, -2, 1e-3).finished());
  for (int i = 0; i < 2; ++i) {
    const Block& block = problem->blocks()[i];
    EXPECT_EQ(block.law, Law::Cone);
    EXPECT_EQ(block.first, 2 * i);
    EXPECT_EQ(block.size, 2);
    EXPECT_EQ(block.friction[0], i == 0 ? 0.5 : 0.25);
  }
}

TEST(TextFile, EveryRealProblemReadsAndComesBackTheSame) {
  CAIRN_SKIP_WITHOUT_FC3D();
  const auto files = test::fc3dFiles();
  ASSERT_EQ(files.size(), 27u);
  for (const fs::path& file : files) {
    const auto problem = readProblemText(file.string());
    EXPECT_EQ(problem->name(), file.stem().string());
    const auto again = parseProblemText(writeProblemText(*problem), file.string());
    EXPECT_TRUE(sameBits(problem->data().delassus, again->data().delassus)) << file;
    EXPECT_TRUE(sameBits(problem->b(), again->b())) << file;
    for (std::size_t i = 0; i < problem->blocks().size(); ++i)
      EXPECT_EQ(problem->blocks()[i].friction, again->blocks()[i].friction) << file;
    EXPECT_EQ(writeProblemText(*problem), writeProblemText(*again)) << file;
  }
}

// The numbers of the files' own index, which other programs computed.
TEST(TextFile, ContactsAndFrictionMatchTheIndex) {
  CAIRN_SKIP_WITHOUT_FC3D();
  const auto capsules = readProblemText((test::fc3dFolder() / "Capsules-i100-1090.fcp").string());
  EXPECT_EQ(capsules->blocks().size(), 276u);
  EXPECT_EQ(capsules->rows(), 828);
  for (const Block& block : capsules->blocks()) EXPECT_EQ(block.friction[0], 0.7);
  EXPECT_FALSE(capsules->isSymmetric());
  const auto one = readProblemText((test::fc3dFolder() / "FrictionContact3D_1c.fcp").string());
  EXPECT_NEAR(one->b().norm(), 3.7416573867739413, 1e-15);  // q_norm of reference.json
}

TEST(TextFile, ProblemsWithBodiesKeepTheirMatrixToTheBit) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto problem = makeRandomProblem({.bodies = 4,
                                            .contacts = static_cast<int>(seed % 9),
                                            .friction = seed % 3 == 0 ? 0.0 : 0.7,
                                            .massRatio = 1e6,
                                            .redundant = seed % 4 == 0,
                                            .compliance = seed % 2 == 0 ? 1e-3 : 0.0},
                                           seed);
    const auto again = parseProblemText(writeProblemText(*problem), "again.fcp");
    EXPECT_TRUE(sameBits(problem->b(), again->b()));
    EXPECT_EQ((problem->denseDelassus() - again->denseDelassus()).norm(), 0.0);
    for (std::size_t i = 0; i < problem->blocks().size(); ++i)
      EXPECT_EQ(problem->blocks()[i].friction, again->blocks()[i].friction);
  }
}

TEST(TextFile, EveryDoubleSurvives) {
  std::mt19937_64 random(5);
  ProblemData data;
  constexpr int kContacts = 60;
  for (int i = 0; i < kContacts; ++i)
    data.blocks.push_back({.law = Law::Cone, .first = 3 * i, .size = 3, .friction = {0.1 * i, 0.1 * i}});
  const auto anyDouble = [&] {
    double value = 0.0;
    do value = std::bit_cast<double>(random());
    while (!std::isfinite(value));
    return value;
  };
  data.bias = Vector::NullaryExpr(3 * kContacts, [&] { return anyDouble(); });
  data.bias[0] = -0.0;
  data.bias[1] = std::numeric_limits<double>::denorm_min();
  data.bias[2] = std::numeric_limits<double>::max();
  data.bias[3] = -std::numeric_limits<double>::min();
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 9; ++i) entries.emplace_back(i / 3, i % 3, anyDouble());
  data.delassus.resize(3 * kContacts, 3 * kContacts);
  data.delassus.setFromTriplets(entries.begin(), entries.end());
  const ContactProblem problem(data);
  const auto again = parseProblemText(writeProblemText(problem), "x");
  EXPECT_TRUE(sameBits(problem.b(), again->b()));
  EXPECT_TRUE(sameBits(problem.data().delassus, again->data().delassus));
}

TEST(TextFile, AProblemWithoutContactsComesBackToo) {
  const ContactProblem empty{ProblemData{}};
  const std::string text = writeProblemText(empty);
  EXPECT_EQ(parseProblemText(text, "x")->rows(), 0);
}

TEST(TextFile, WhatTheFormCannotHoldIsRefusedByName) {
  const auto refusal = [](const ContactProblem& problem) -> std::string {
    try {
      writeProblemText(problem);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_NE(refusal(*makeRandomProblem({.law = Law::Box}, 1)).find("blocks[0]: found the law \"box\""), std::string::npos);
  EXPECT_NE(refusal(*makeRandomProblem({.joints = 1}, 1)).find("found the law \"free\""), std::string::npos);
  EXPECT_NE(refusal(*makeRandomProblem({.elliptic = true}, 1)).find("found an elliptic cone"), std::string::npos);
  ProblemData mixed;
  mixed.blocks = {{.law = Law::Cone, .first = 0, .size = 3}, {.law = Law::Cone, .first = 3, .size = 2}};
  mixed.delassus.resize(5, 5);
  EXPECT_NE(refusal(ContactProblem(mixed)).find("blocks[1]: found 2 rows after contacts of 3"), std::string::npos);
}

struct Bad {
  const char* text;
  const char* message;  // the whole of it
};

TEST(TextFile, EveryMistakeIsNamedWithItsLine) {
  const Bad bad[] = {
      {"", "x.fcp:1: first word: found the end of the file; allowed: FCP1"},
      {"\n\n  \n", "x.fcp:4: first word: found the end of the file; allowed: FCP1"},
      {"FCP2 3 0 0", "x.fcp:1: first word: found \"FCP2\"; allowed: FCP1"},
      {"\nfcp1 3 0 0", "x.fcp:2: first word: found \"fcp1\"; allowed: FCP1"},
      {"\x89HDF\r\n\x1a\n", "x.fcp:1: first word: found \"\\x89HDF\"; allowed: FCP1"},
      {"{\"blocks\": []}", "x.fcp:1: first word: found \"{\"blocks\":\"; allowed: FCP1"},
      {"FCP1", "x.fcp:1: rows per contact: found the end of the file; allowed: 2 (planar) or 3"},
      {"FCP1 1 1 1", "x.fcp:1: rows per contact: found \"1\"; allowed: 2 (planar) or 3"},
      {"FCP1 4 1 1", "x.fcp:1: rows per contact: found \"4\"; allowed: 2 (planar) or 3"},
      {"FCP1 3.0 1 1", "x.fcp:1: rows per contact: found \"3.0\"; allowed: 2 (planar) or 3"},
      {"FCP1\n\n3,\n1 1", "x.fcp:3: rows per contact: found \"3,\"; allowed: 2 (planar) or 3"},
      {"FCP1 3", "x.fcp:1: number of contacts: found the end of the file; allowed: a whole number from 0 to 715827882"},
      {"FCP1 3 -1 0", "x.fcp:1: number of contacts: found \"-1\"; allowed: a whole number from 0 to 715827882"},
      {"FCP1 3 1e3 0", "x.fcp:1: number of contacts: found \"1e3\"; allowed: a whole number from 0 to 715827882"},
      {"FCP1 3 99999999999 0",
       "x.fcp:1: number of contacts: found \"99999999999\"; allowed: a whole number from 0 to 715827882"},
      {"FCP1 3 700000000 0\n1 2 3\n",
       "x.fcp:1: number of contacts: found 700000000; allowed: as many as the file has room for: these are 2800000000 "
       "numbers, and 9 bytes follow"},
      {"FCP1 2 2\n",
       "x.fcp:1: number of contacts: found 2; allowed: as many as the file has room for: these are 6 numbers, and 1 bytes "
       "follow"},
      {"FCP1 2 1 -1\n0 0 0", "x.fcp:1: number of blocks: found \"-1\"; allowed: a whole number from 0 to 1"},
      {"FCP1 2 1 2\n0 0 0 0", "x.fcp:1: number of blocks: found \"2\"; allowed: a whole number from 0 to 1"},
      {"FCP1 2 1 x\n0 0 0 0", "x.fcp:1: number of blocks: found \"x\"; allowed: a whole number from 0 to 1"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 0",
       "x.fcp:1: number of blocks: found 1; allowed: as many as the file has room for: these "
       "are 9 numbers, and 16 bytes follow"},
      {"FCP1 2 1 1\n1 0 1 0 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1, row of blocks: found \"1\"; allowed: a whole number from 0 to 0"},
      {"FCP1 2 1 1\n0 1 1 0 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1, column of blocks: found \"1\"; allowed: a whole number from 0 to 0"},
      {"FCP1 2 1 1\n-1 0 1 0 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1, row of blocks: found \"-1\"; allowed: a whole number from 0 to 0"},
      {"FCP1 2 1 1\n0.0 0 1 0 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1, row of blocks: found \"0.0\"; allowed: a whole number from 0 to 0"},
      {"FCP1 2 1 1\n0 0 nan 0 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 1 of 4: found \"nan\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0\n inf 1\n0 0\n0.5\n",
       "x.fcp:3: block 1 of 1 (0, 0), number 3 of 4: found \"inf\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0 0 -inf\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 4 of 4: found \"-inf\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 1e999 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found \"1e999\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0x1p3 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found \"0x1p3\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 1,5 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found \"1,5\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 1.5.5 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found \"1.5.5\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 # 0 1\n0 0\n0.5\n",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found \"#\"; allowed: a finite number"},
      {"FCP1 2 2 2\n0 0 1 0 0 1\n0 0 1 0 0 1\n0 0 0 0\n0.5 0.5\n",
       "x.fcp:3: block 2 of 2: found a second block (0, 0); allowed: each block once"},
      {"FCP1 2 2 3\n0 1 1 0 0 1\n1 0 1 0 0 1\n\n\n0 1 1 0 0 1\n0 0 0 0\n0.5 0.5\n",
       "x.fcp:6: block 3 of 3: found a second block (0, 1); allowed: each block once"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 NaN\n0.5\n", "x.fcp:3: b 2 of 2: found \"NaN\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n\n0\n-Infinity\n0.5\n", "x.fcp:5: b 2 of 2: found \"-Infinity\"; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\n-0.5\n", "x.fcp:4: mu 1 of 1: found \"-0.5\"; allowed: a finite number, at least 0"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\nnan\n", "x.fcp:4: mu 1 of 1: found \"nan\"; allowed: a finite number, at least 0"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\ninf\n", "x.fcp:4: mu 1 of 1: found \"inf\"; allowed: a finite number, at least 0"},
      {"FCP1 2 1 1\n0 0 10 0 0 10\n0 1\n",
       "x.fcp:4: mu 1 of 1: found the end of the file; allowed: a finite number, at least 0"},
      {"FCP1 2 1 1\n0 0 100 0 0 100\n0\n", "x.fcp:4: b 2 of 2: found the end of the file; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 100000000000000000000",
       "x.fcp:2: block 1 of 1 (0, 0), number 2 of 4: found the end of the file; allowed: a finite number"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\n0.5 0.5\n", "x.fcp:4: after the last number: found \"0.5\"; allowed: nothing more"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\n0.5\n\n\nFCP1 2 1 1\n0 0 1 0 0 1\n0 1\n0.5\n",
       "x.fcp:7: after the last number: found \"FCP1\"; allowed: nothing more"},
      {"FCP1 2 1 1\n0 0 1 0 0 1\n0 1\n\x1b[31mhello\x07\n",
       "x.fcp:4: mu 1 of 1: found \"\\x1b[31mhello\\x07\"; allowed: a finite number, at least 0"},
  };
  for (const Bad& one : bad) EXPECT_EQ(errorOf(one.text), one.message) << one.text;
  const std::string longWord = errorOf("FCP1 2 1 1\n0 0 " + std::string(5000, '7') + "x 0 0 1\n0 1\n0.5\n");
  EXPECT_EQ(longWord, "x.fcp:2: block 1 of 1 (0, 0), number 1 of 4: found \"" + std::string(40, '7') +
                          "...\"; allowed: a finite number");
  EXPECT_EQ(errorOf(kSmall), "no error");
}

TEST(TextFile, AnyWhiteSpaceAndLineEndsWill) {
  std::string text = kSmall, oneLine = kSmall, windows;
  std::replace(oneLine.begin(), oneLine.end(), '\n', '\t');
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const std::string& one : {oneLine, windows, "  \n" + text + "\n\n", text.substr(0, text.size() - 1)})
    EXPECT_EQ(writeProblemText(*parseProblemText(one, "x")), writeProblemText(*parseProblemText(text, "x"))) << one;
}

TEST(TextFile, MissingFilesAndFoldersAreNamed) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      readProblemText(path);
    } catch (const ProblemFileError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(message("/nowhere/at/all.fcp"),
            "/nowhere/at/all.fcp: cannot be read: No such file or directory; allowed: a file with a contact problem");
  EXPECT_EQ(message(kData.string()), kData.string() + ": found a directory; allowed: a file with a contact problem");
  // Without an end, and not to be waited for.
  EXPECT_EQ(message("/dev/zero").substr(0, 35), "/dev/zero:1: first word: found \"\\x0");
}

// 20,000 damaged files: read or refused, nothing else, and never more rows than the file has bytes.
TEST(TextFile, DamageIsReadOrRefused) {
  std::vector<std::string> good;
  for (unsigned seed = 1; seed <= 20; ++seed)
    good.push_back(writeProblemText(*makeRandomProblem({.bodies = 4, .contacts = static_cast<int>(seed % 6)}, seed)));
  for (const fs::path& file : test::fc3dFiles())
    if (fs::file_size(file) < 6000) good.push_back(fileText(file));
  good.push_back(kSmall);
  ASSERT_GE(good.size(), 15u);
  const std::vector<std::string> tokens{
      "nan",        "inf",       "-inf", "-1", "0", "1e308", "1e999", "99999999999999999999",
      "2147483647", "715827882", "FCP1", "x",  "-", "+",     ".",     "1e",
      "0x10",       "\n",        "",     "3",  "2", "1e-400"};
  std::mt19937 random(77);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int read = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = good[below(good.size())];
    for (std::size_t changes = 1 + below(3); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = below(text.size());
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
          break;
        case 1:
          text.resize(at);
          break;
        case 2:
          text[at] = static_cast<char>(below(256));
          break;
        case 3:
          text.erase(at, 1 + below(30));
          break;
        case 4:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
        default: {  // a word becomes another; early words matter most
          const std::size_t near = below(2) == 0 ? below(std::min<std::size_t>(text.size(), 20)) : at;
          const std::size_t from = text.find_last_of(" \n", near) + 1;
          const std::size_t to = text.find_first_of(" \n", from);
          text.replace(from, to == std::string::npos ? to : to - from, tokens[below(tokens.size())]);
        }
      }
    }
    try {
      const auto problem = parseProblemText(text, "x.fcp");
      ASSERT_LE(static_cast<std::size_t>(problem->rows()), text.size());
      ++read;
    } catch (const ProblemFileError& error) {
      const std::string message = error.what();
      ASSERT_EQ(message.substr(0, 6), "x.fcp:") << message;
      ASSERT_NE(message.find("; allowed: "), std::string::npos) << message;
      ASSERT_LT(message.size(), 300u);
      ++refused;
    }
  }
  EXPECT_GT(read, 1000);  // a digit that becomes another digit
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace cairn
