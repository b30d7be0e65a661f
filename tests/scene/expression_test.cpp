// Arithmetic in scene files.
#include "scene/expression.hpp"

#include <cmath>
#include <numbers>

#include "scene/helpers.hpp"

namespace cairn {
namespace {

double value(std::string_view text) {
  return evaluateExpression(text, [](std::string_view name) -> std::optional<double> {
    if (name == "n") return 7.0;
    if (name == "length") return 0.5;
    return std::nullopt;
  });
}

std::string wrong(std::string_view text) {
  try {
    const double result = value(text);
    return "value " + std::to_string(result);
  } catch (const ExpressionError& error) {
    return std::to_string(error.at()) + " " + error.what();
  }
}

TEST(Expression, HasTheUsualPrecedence) {
  EXPECT_EQ(value("$n*2"), 14.0);
  EXPECT_EQ(value("$length/2 - 0.1"), 0.25 - 0.1);
  EXPECT_EQ(value("2 + 3 * $n"), 23.0);
  EXPECT_EQ(value("(2 + 3) * $n"), 35.0);
  EXPECT_EQ(value("10 - 4 - 3"), 3.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("2*-$n"), -14.0);
  EXPECT_EQ(value("17 % 5"), 2.0);
  EXPECT_EQ(value(" 1e-3 * 2.5E2 "), 0.25);
}

TEST(Expression, KnowsFunctions) {
  EXPECT_EQ(value("sin(pi/6)"), std::sin(std::numbers::pi / 6));
  EXPECT_NEAR(value("cos(rad(60))"), 0.5, 1e-15);
  EXPECT_NEAR(value("deg(atan2(1, 1))"), 45.0, 1e-13);
  EXPECT_EQ(value("sqrt(2)*sqrt(2)"), std::sqrt(2.0) * std::sqrt(2.0));
  EXPECT_EQ(value("min(3, $n, 1)"), 1.0);
  EXPECT_EQ(value("max(3, $n)"), 7.0);
  EXPECT_EQ(value("floor(-0.5) + ceil(0.5) + round(2.4) + abs(-3)"), 5.0);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(wrong("$m + 1"), "0 \"$m\" is no parameter");
  EXPECT_EQ(wrong("1 + "), "4 something is missing at the end");
  EXPECT_EQ(wrong("(1 + 2"), "6 a bracket is not closed");
  EXPECT_NE(wrong("1 2").find("2 found \"2\""), std::string::npos);
  EXPECT_NE(wrong("sni(1)").find("did you mean \"sin\"?"), std::string::npos);
  EXPECT_NE(wrong("sin(1, 2)").find("takes 1 argument, found 2"), std::string::npos);
  EXPECT_NE(wrong("1/0").find("no finite value"), std::string::npos);
  EXPECT_NE(wrong("sqrt(-1)").find("sqrt(-1) has no finite value"), std::string::npos);
  EXPECT_NE(wrong("$").find("a $ without a name"), std::string::npos);
  EXPECT_NE(wrong(std::string(100000, '(')).find("nested"), std::string::npos);
  EXPECT_NE(wrong(std::string(100000, '-')).find("nested"), std::string::npos);
}

TEST(Expression, StandsWhereverANumberMay) {
  const std::string text = sceneWith(R"~("parameters": {"n": 3, "size": {"default": "0.6 / $n", "max": 1}},
    "bodies": [{"name": "costs $5", "position": ["-$size/2", 0, "2*$size"], "shape": {"type": "box",
      "size": ["$size", "$size", "max($size, 0.25)"]}, "pattern": {"type": "row", "count": "$n*2", "step": ["$size", 0, 0]}}])~");
  const SceneModel model = load(text);
  ASSERT_EQ(model.bodies.size(), 6u);
  EXPECT_EQ(model.bodies[0].desc.name, "costs $5.0");
  EXPECT_EQ(model.parameters[1].value, 0.6 / 3);
  EXPECT_EQ(model.bodies[0].desc.pose.position.x(), -(0.6 / 3) / 2);
  EXPECT_EQ(std::get<Box>(model.bodies[0].desc.shapes[0].geometry).halfExtents.z(), 0.125);
  // A parameter that is given another value takes with it what is made of it.
  EXPECT_EQ(load(text, {{"n", "4"}}).parameters[1].value, 0.15);
  EXPECT_EQ(load(text, {{"size", "0.1"}}).parameters[1].value, 0.1);
}

TEST(Expression, ErrorsNameThePlace) {
  const auto message = [](const std::string& fields) { return problemsOf(sceneWith(fields)).front().format(); };
  const std::string circle = message(R"~("parameters": {"a": "$b", "b": "2*$a"}, "bodies": [])~");
  EXPECT_NE(circle.find("parameters.a"), std::string::npos) << circle;
  EXPECT_NE(circle.find("circle"), std::string::npos) << circle;
  const std::string unknown = message(R"~("parameters": {"length": 1}, "bodies": [{"shape": {"type": "sphere",
    "radius": "$lenght/2"}}])~");
  EXPECT_NE(unknown.find("test.json:2"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("bodies[0].shape.radius: found \"$lenght/2\", where \"$lenght\" is no parameter; did you mean "
                         "\"length\"?"),
            std::string::npos)
      << unknown;
  const std::string range = message(R"~("parameters": {"a": 3, "b": {"default": "$a*2", "max": 5}}, "bodies": [])~");
  EXPECT_NE(range.find("found 6 ($a*2); allowed: at most 5"), std::string::npos) << range;
}

}  // namespace
}  // namespace cairn
