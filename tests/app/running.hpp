// Commands as people run them: arguments in, text and an exit code out; and a folder of their own for what they write.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/command.hpp"

namespace cairn {

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = runCommand(arguments, out, err);
  return {code, out.str(), err.str()};
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline int countOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class InAFolder : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("cairn-") + test.test_suite_name() + "-" + std::to_string(::getpid()) + "-" + test.name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return path(name);
  }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  rapidjson::Document json(const std::string& name) const {
    rapidjson::Document document;
    document.Parse(text(name).c_str());
    EXPECT_FALSE(document.HasParseError()) << text(name);
    return document;
  }

  std::filesystem::path folder_;
};

}  // namespace cairn
