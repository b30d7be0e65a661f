#include "problem/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unordered_set>

namespace cairn {

namespace {

constexpr std::string_view kMagic = "FCP1";
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a file; W of 100,000 contacts in a pile has a tenth of it
constexpr std::size_t kChunk = std::size_t{1} << 16;

bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // The next word; empty at the end.
  std::string_view word() {
    while (next_ < text_.size() && isSpace(text_[next_])) ++next_;
    start_ = next_;
    while (next_ < text_.size() && !isSpace(text_[next_])) ++next_;
    return text_.substr(start_, next_ - start_);
  }

  // `what` says which number is read, and is asked only if it is wrong.
  template <class What>
  int whole(int least, int most, const char* allowed, What what) {
    const std::string_view found = word();
    int value = 0;
    const auto result = std::from_chars(found.data(), found.data() + found.size(), value);
    if (result.ec == std::errc{} && result.ptr == found.data() + found.size() && value >= least && value <= most)
      return value;
    refuse(what(), allowed != nullptr ? std::string(allowed)
                                      : "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  template <class What>
  double finite(double least, const char* allowed, What what) {
    const std::string_view found = word();
    double value = 0.0;
    const auto result = std::from_chars(found.data(), found.data() + found.size(), value);
    if (result.ec == std::errc{} && result.ptr == found.data() + found.size() && std::isfinite(value) && value >= least)
      return value;
    refuse(what(), allowed);
  }

  // The last word was wrong.
  [[noreturn]] void refuse(const std::string& what, const std::string& allowed) const {
    const std::string_view found = text_.substr(start_, next_ - start_);
    refuseFinding(what, found.empty() ? "the end of the file" : quotedWord(found), allowed);
  }
  [[noreturn]] void refuseFinding(const std::string& what, const std::string& found, const std::string& allowed) const {
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start_), '\n');
    throw ProblemFileError(file_ + ":" + std::to_string(lines + 1) + ": " + what + ": found " + found +
                           "; allowed: " + allowed);
  }

  std::size_t bytesLeft() const { return text_.size() - next_; }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t start_ = 0, next_ = 0;  // of the last word; behind it
};

std::string of(const char* what, int index, int count) {
  return std::string(what) + " " + std::to_string(index + 1) + " of " + std::to_string(count);
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

bool startsLikeAProblem(std::string_view text) { return Reader(text, {}).word() == kMagic; }

}  // namespace

std::shared_ptr<ContactProblem> parseProblemText(std::string_view text, const std::string& file) {
  Reader reader(text, file);
  if (reader.word() != kMagic) reader.refuse("first word", std::string(kMagic));
  const int d = reader.whole(2, 3, "2 (planar) or 3", [] { return std::string("rows per contact"); });
  const int contacts =
      reader.whole(0, std::numeric_limits<int>::max() / 3, nullptr, [] { return std::string("number of contacts"); });
  // A number takes two bytes at least, itself and the space before it.
  const auto fits = [&](std::int64_t numbers) { return numbers <= static_cast<std::int64_t>(reader.bytesLeft() / 2); };
  const auto tooShort = [&](const std::string& what, int found, std::int64_t numbers) {
    reader.refuseFinding(what, std::to_string(found),
                         "as many as the file has room for: these are " + std::to_string(numbers) + " numbers, and " +
                             std::to_string(reader.bytesLeft()) + " bytes follow");
  };
  const std::int64_t contactNumbers = std::int64_t{contacts} * (d + 1);
  if (!fits(contactNumbers)) tooShort("number of contacts", contacts, contactNumbers);
  const std::int64_t mostBlocks = std::int64_t{contacts} * contacts;
  const int blocks = reader.whole(0, static_cast<int>(std::min<std::int64_t>(mostBlocks, std::numeric_limits<int>::max())),
                                  nullptr, [] { return std::string("number of blocks"); });
  const std::int64_t blockNumbers = std::int64_t{blocks} * (2 + d * d);
  if (!fits(contactNumbers + blockNumbers)) tooShort("number of blocks", blocks, contactNumbers + blockNumbers);

  const int rows = d * contacts;
  ProblemData data;
  data.name = stem(file);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(blocks) * d * d);
  std::unordered_set<std::int64_t> seen;
  seen.reserve(blocks);
  for (int k = 0; k < blocks; ++k) {
    const int i = reader.whole(0, contacts - 1, nullptr, [&] { return of("block", k, blocks) + ", row of blocks"; });
    const int j = reader.whole(0, contacts - 1, nullptr, [&] { return of("block", k, blocks) + ", column of blocks"; });
    if (!seen.insert(std::int64_t{i} * contacts + j).second)
      reader.refuseFinding(of("block", k, blocks), "a second block (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                           "each block once");
    for (int r = 0; r < d; ++r) {
      for (int c = 0; c < d; ++c) {
        const double value = reader.finite(-std::numeric_limits<double>::infinity(), "a finite number", [&] {
          return of("block", k, blocks) + " (" + std::to_string(i) + ", " + std::to_string(j) + "), " +
                 of("number", r * d + c, d * d);
        });
        entries.emplace_back(i * d + r, j * d + c, value);
      }
    }
  }
  data.delassus.resize(rows, rows);
  data.delassus.setFromTriplets(entries.begin(), entries.end());
  data.bias.resize(rows);
  for (int i = 0; i < rows; ++i)
    data.bias[i] =
        reader.finite(-std::numeric_limits<double>::infinity(), "a finite number", [&] { return of("b", i, rows); });
  data.blocks.resize(contacts);
  for (int i = 0; i < contacts; ++i) {
    const double mu = reader.finite(0.0, "a finite number, at least 0", [&] { return of("mu", i, contacts); });
    data.blocks[i] = {.law = Law::Cone, .first = d * i, .size = d, .friction = {mu, mu}, .facets = 0, .group = 0};
  }
  if (!reader.word().empty()) reader.refuse("after the last number", "nothing more");
  return std::make_shared<ContactProblem>(std::move(data));
}

std::shared_ptr<ContactProblem> readProblemText(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw ProblemFileError(path + ": found a directory; allowed: a file with a contact problem");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ProblemFileError(path + ": cannot be read: " + std::strerror(errno != 0 ? errno : EIO) +
                           "; allowed: a file with a contact problem");
  std::string text;
  while (file) {
    if (text.size() >= kMostBytes)
      throw ProblemFileError(path + ": found more than " + std::to_string(kMostBytes) + " bytes; allowed: at most those");
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    file.read(text.data() + before, kChunk);
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    // Something else, perhaps without an end, is not read to its end.
    if (before == 0 && text.size() == kChunk && !startsLikeAProblem(text)) break;
  }
  if (file.bad()) throw ProblemFileError(path + ": reading failed; allowed: a file with a contact problem");
  return parseProblemText(text, path);
}

namespace {

// Empty if the problem can be written.
std::string whyNoText(const ContactProblem& problem) {
  const std::vector<Block>& blocks = problem.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    std::string found;
    if (block.law != Law::Cone) {
      found = "the law \"" + std::string(nameOf(block.law)) + "\"";
    } else if (block.size != blocks.front().size) {
      found = std::to_string(block.size) + " rows after contacts of " + std::to_string(blocks.front().size);
    } else if (block.size == 3 && block.friction[0] != block.friction[1]) {
      found = "an elliptic cone";
    } else {
      continue;
    }
    return "blocks[" + std::to_string(i) + "]: found " + found +
           "; allowed in the text form: circular cones only, all planar or all spatial";
  }
  return {};
}

void append(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);  // the shortest that reads back the same
  text.append(digits, end.ptr);
}

}  // namespace

std::string writeProblemText(const ContactProblem& problem) {
  if (const std::string why = whyNoText(problem); !why.empty())
    throw std::invalid_argument("contact problem \"" + problem.name() + "\": " + why);
  const int contacts = static_cast<int>(problem.blocks().size());
  const int d = contacts > 0 ? problem.blocks().front().size : 3;
  const bool asGiven = !problem.hasBodies() && (problem.data().compliance.array() == 0.0).all();
  const SparseMatrix& w = asGiven ? problem.data().delassus : problem.delassus();

  std::string body;
  int blocks = 0;
  for (int i = 0; i < contacts; ++i) {
    std::vector<int> columns;  // of blocks that hold anything
    for (int r = 0; r < d; ++r)
      for (SparseMatrix::InnerIterator entry(w, d * i + r); entry; ++entry)
        columns.push_back(static_cast<int>(entry.col()) / d);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<double> values(columns.size() * d * d, 0.0);
    for (int r = 0; r < d; ++r) {
      for (SparseMatrix::InnerIterator entry(w, d * i + r); entry; ++entry) {
        const int column = static_cast<int>(entry.col());
        const auto at = std::lower_bound(columns.begin(), columns.end(), column / d) - columns.begin();
        values[(at * d + r) * d + column % d] = entry.value();
      }
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      body += std::to_string(i) + " " + std::to_string(columns[k]);
      for (int n = 0; n < d * d; ++n) append(body += ' ', values[k * d * d + n]);
      body += '\n';
      ++blocks;
    }
  }
  const auto line = [&](int count, const auto& value) {
    for (int i = 0; i < count; ++i) {
      if (i > 0) body += ' ';
      append(body, value(i));
    }
    body += '\n';
  };
  line(d * contacts, [&](int i) { return problem.b()[i]; });
  line(contacts, [&](int i) { return problem.blocks()[i].friction[0]; });
  return std::string(kMagic) + " " + std::to_string(d) + " " + std::to_string(contacts) + " " + std::to_string(blocks) +
         "\n" + body;
}

}  // namespace cairn
