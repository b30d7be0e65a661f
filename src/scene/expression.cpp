#include "scene/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr int kMaximumDepth = 64;  // of brackets and signs: bounds the recursion
constexpr std::size_t kMaximumArguments = 16;

using Arguments = std::vector<double>;
struct Function {
  std::string_view name;
  std::size_t least, most;  // arguments
  double (*value)(const Arguments&);
};

constexpr double kDegree = std::numbers::pi / 180.0;

const std::array kFunctions = {
    Function{"sin", 1, 1, [](const Arguments& x) { return std::sin(x[0]); }},
    Function{"cos", 1, 1, [](const Arguments& x) { return std::cos(x[0]); }},
    Function{"tan", 1, 1, [](const Arguments& x) { return std::tan(x[0]); }},
    Function{"asin", 1, 1, [](const Arguments& x) { return std::asin(x[0]); }},
    Function{"acos", 1, 1, [](const Arguments& x) { return std::acos(x[0]); }},
    Function{"atan", 1, 1, [](const Arguments& x) { return std::atan(x[0]); }},
    Function{"atan2", 2, 2, [](const Arguments& x) { return std::atan2(x[0], x[1]); }},
    Function{"rad", 1, 1, [](const Arguments& x) { return x[0] * kDegree; }},
    Function{"deg", 1, 1, [](const Arguments& x) { return x[0] / kDegree; }},
    Function{"sqrt", 1, 1, [](const Arguments& x) { return std::sqrt(x[0]); }},
    Function{"abs", 1, 1, [](const Arguments& x) { return std::abs(x[0]); }},
    Function{"exp", 1, 1, [](const Arguments& x) { return std::exp(x[0]); }},
    Function{"log", 1, 1, [](const Arguments& x) { return std::log(x[0]); }},
    Function{"floor", 1, 1, [](const Arguments& x) { return std::floor(x[0]); }},
    Function{"ceil", 1, 1, [](const Arguments& x) { return std::ceil(x[0]); }},
    Function{"round", 1, 1, [](const Arguments& x) { return std::round(x[0]); }},
    Function{"min", 1, kMaximumArguments, [](const Arguments& x) { return *std::min_element(x.begin(), x.end()); }},
    Function{"max", 1, kMaximumArguments, [](const Arguments& x) { return *std::max_element(x.begin(), x.end()); }},
};

// Not std::isalpha: it depends on the locale.
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  Parser(std::string_view text, const ParameterValue& parameter) : text_(text), parameter_(parameter) {}

  double whole() {
    const double value = sum();
    skipSpace();
    if (at_ < text_.size()) fail(fmt::format("found \"{}\"; allowed here: + - * / % ^ or the end", text_[at_]));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw ExpressionError(at_, message); }
  [[noreturn]] void fail(std::size_t at, const std::string& message) const { throw ExpressionError(at, message); }

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  double finite(double value, std::size_t from, std::string_view what) const {
    if (!std::isfinite(value)) fail(from, fmt::format("{} has no finite value", what));
    return value;
  }

  double sum() {
    if (++depth_ > kMaximumDepth) fail(fmt::format("nested more than {} deep", kMaximumDepth));
    const std::size_t from = at_;
    double value = product();
    for (;;) {
      if (take('+')) {
        value = finite(value + product(), from, "the sum");
      } else if (take('-')) {
        value = finite(value - product(), from, "the difference");
      } else {
        --depth_;
        return value;
      }
    }
  }

  double product() {
    const std::size_t from = at_;
    double value = power();
    for (;;) {
      if (take('*')) {
        value = finite(value * power(), from, "the product");
      } else if (take('/')) {
        value = finite(value / power(), from, "the quotient");
      } else if (take('%')) {
        value = finite(std::fmod(value, power()), from, "the remainder");
      } else {
        return value;
      }
    }
  }

  double power() {
    if (++depth_ > kMaximumDepth) fail(fmt::format("nested more than {} deep", kMaximumDepth));
    skipSpace();
    const std::size_t from = at_;
    double value = 0.0;
    if (take('-')) {
      value = -power();
    } else if (take('+')) {
      value = power();
    } else {
      value = primary();
      if (take('^')) value = finite(std::pow(value, power()), from, "the power");
    }
    --depth_;
    return value;
  }

  std::string_view name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (isLetter(text_[at_]) || (at_ > from && isDigit(text_[at_])))) ++at_;
    return text_.substr(from, at_ - from);
  }

  double primary() {
    skipSpace();
    const std::size_t from = at_;
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("a bracket is not closed");
      return value;
    }
    if (take('$')) {
      const std::string_view word = name();
      if (word.empty()) fail(from, "a $ without a name");
      if (const std::optional<double> value = parameter_(word)) return *value;
      fail(from, fmt::format("\"${}\" is no parameter", word));
    }
    if (at_ < text_.size() && isLetter(text_[at_])) return named(from);
    double value = 0.0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (read.ec == std::errc::result_out_of_range) fail("a number that is too large or too small");
    if (read.ec != std::errc{}) {
      fail(at_ >= text_.size() ? std::string("something is missing at the end")
                               : fmt::format("found \"{}\"; allowed here: a number, $name, a function or a bracket",
                                             text_[at_]));
    }
    at_ = static_cast<std::size_t>(read.ptr - text_.data());
    return value;
  }

  double named(std::size_t from) {
    const std::string_view word = name();
    if (word == "pi") return std::numbers::pi;
    const auto known = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == word; });
    if (known == kFunctions.end()) {
      const std::vector<std::string_view> names = expressionFunctions();
      const std::string hint = suggestion(word, names);
      fail(from, fmt::format("\"{}\" is no function (parameters begin with $){}{} allowed: pi, {}", word, hint,
                             hint.empty() ? ";" : "", listNames(names)));
    }
    if (!take('(')) fail(fmt::format("\"{}\" needs its arguments in brackets", word));
    Arguments arguments{sum()};
    while (take(',')) {
      if (arguments.size() >= kMaximumArguments) fail(fmt::format("more than {} arguments", kMaximumArguments));
      arguments.push_back(sum());
    }
    if (!take(')')) fail("a bracket is not closed");
    if (arguments.size() < known->least || arguments.size() > known->most) {
      fail(from, fmt::format("\"{}\" takes {} argument{}, found {}", word,
                             known->least == known->most ? fmt::format("{}", known->least) : std::string("one or more"),
                             known->most == 1 ? "" : "s", arguments.size()));
    }
    return finite(known->value(arguments), from, text_.substr(from, at_ - from));
  }

  std::string_view text_;
  const ParameterValue& parameter_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

bool isExpression(std::string_view text) { return text.find('$') != std::string_view::npos; }

double evaluateExpression(std::string_view text, const ParameterValue& parameter) {
  return Parser(text, parameter).whole();
}

std::vector<std::string_view> expressionFunctions() {
  std::vector<std::string_view> names;
  for (const Function& function : kFunctions) names.push_back(function.name);
  return names;
}

}  // namespace cairn
