// Arithmetic in scene files: "$n * 2", "$length/2 - 0.1", "sin(rad($angle))".
//
//   sum     = product { ("+" | "-") product }
//   product = power { ("*" | "/" | "%") power }
//   power   = ["+" | "-"] primary [ "^" power ]      -2^2 is -4, 2^3^2 is 2^9
//   primary = number | "$" name | "pi" | function "(" sum { "," sum } ")" | "(" sum ")"
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// What is wrong with an expression, and where in its text.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, const std::string& message) : std::runtime_error(message), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

// Whether a text means a number: a parameter stands in it.
bool isExpression(std::string_view text);

// The value of a parameter, or nothing if there is none of that name.
using ParameterValue = std::function<std::optional<double>(std::string_view name)>;

// Throws ExpressionError for a text that is no expression, an unknown name, or a value that is not finite.
double evaluateExpression(std::string_view text, const ParameterValue& parameter);

// Names of the functions, for messages and docs.
std::vector<std::string_view> expressionFunctions();

}  // namespace cairn
