#include "scene/located_json.hpp"

#include "scene/helpers.hpp"
#include "scene/scene_error.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

JsonValue parse(std::string text) {
  return parseJson(std::make_shared<SourceText>(SourceText{"test.json", std::move(text)}));
}

LineColumn placeOf(const JsonValue& value) { return lineColumn(value.source->text, value.offset); }

TEST(LocatedJson, EveryValueKnowsWhereItBegan) {
  const JsonValue root =
      parse("{ // comment, with: colons\n  \"a\": [1, /* two */ 2,\n true],\n\t\"b\" : {\"c\": \"text\",},\n}");
  EXPECT_EQ(placeOf(root).line, 1);
  const JsonValue& a = *root.find("a");
  EXPECT_EQ(placeOf(a).line, 2);
  EXPECT_EQ(placeOf(a).column, 8);
  EXPECT_EQ(placeOf(a.items[0]).column, 9);
  EXPECT_EQ(placeOf(a.items[1]).column, 22);
  EXPECT_EQ(a.items[1].number, 2.0);
  EXPECT_EQ(placeOf(a.items[2]).line, 3);
  EXPECT_TRUE(a.items[2].boolean);
  const JsonValue& c = *root.find("b")->find("c");
  EXPECT_EQ(placeOf(c).line, 4);
  EXPECT_EQ(c.text, "text");
  EXPECT_EQ(root.source->text.substr(root.members[1].keyOffset, 3), "\"b\"");
}

TEST(LocatedJson, ColumnsCountCharactersNotBytes) {
  const JsonValue root = parse("{\"ä€\": 1}");
  EXPECT_EQ(placeOf(*root.find("ä€")).column, 8);
}

TEST(LocatedJson, NumbersAreExactToTheBit) {
  const JsonValue root = parse("[0.1, -2.2250738585072014e-308, 123456789012345678, 1.7976931348623157e308, -0.0]");
  EXPECT_EQ(root.items[0].number, 0.1);
  EXPECT_EQ(root.items[1].number, -2.2250738585072014e-308);
  EXPECT_EQ(root.items[2].number, 123456789012345678.0);
  EXPECT_EQ(root.items[3].number, 1.7976931348623157e308);
  EXPECT_TRUE(std::signbit(root.items[4].number));
}

TEST(LocatedJson, AByteOrderMarkIsSkipped) { EXPECT_TRUE(parse("\xEF\xBB\xBF{}").is(JsonValue::Type::Object)); }

struct SyntaxCase {
  std::string text;
  int line, column;
  std::string says;
};

TEST(LocatedJson, WrongSyntaxIsRefusedWithItsLine) {
  const std::vector<SyntaxCase> cases{
      {"", 0, 0, "empty"},
      {"   \n ", 2, 2, "nothing but blanks"},
      {"{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "a comma or }"},
      {"{\n  \"a\": 1e999\n}", 2, 8, "1.8e308"},
      {"{\"a\": 1, \"a\": 2}", 1, 10, "given twice"},
      {"{\"a\": NaN}", 1, 7, "not a value"},
      {"{\"a\": .5}", 1, 7, "not a value"},
      {"{\"a\": \"open", 1, 12, "closing quote"},
      {"{} {}", 1, 4, "follows the end"},
      {"[1, 2", 1, 6, "not complete"},
      {std::string("{}\0x", 4), 1, 3, "not a text file"},
      {"{\"a\": \"\xFF\xFE\"}", 1, 7, "UTF-8"},
      {"\x7F"
       "ELF",
       1, 1, "not a value"},
      {"{ /* no end", 1, 12, ""},
  };
  for (const SyntaxCase& one : cases) {
    try {
      parse(one.text);
      ADD_FAILURE() << "parsed: " << one.text;
    } catch (const SceneError& error) {
      const SceneProblem& problem = error.problems().front();
      EXPECT_EQ(problem.line, one.line) << error.what();
      if (one.column > 0) {
        EXPECT_NEAR(problem.column, one.column, 1) << error.what();
      }
      EXPECT_NE(problem.message.find(one.says), std::string::npos) << error.what();
    }
  }
}

TEST(LocatedJson, TheMessageShowsTheLineAndACaret) {
  try {
    parse("{\n  \"mass\": oops\n}");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("      \"mass\": oops\n              ^"), std::string::npos) << error.what();
  }
}

TEST(LocatedJson, DeepNestingIsRefusedNotFollowed) {
  EXPECT_THROW(parse(std::string(100000, '[')), SceneError);
  EXPECT_THROW(parse(std::string(1000, '[') + std::string(1000, ']')), SceneError);
  std::string fits(kMaximumJsonDepth, '[');
  fits += std::string(kMaximumJsonDepth, ']');
  EXPECT_NO_THROW(parse(fits));
}

TEST(Suggest, FindsTheNearestNameOrNone) {
  EXPECT_EQ(editDistance("raduis", "radius"), 1);
  EXPECT_EQ(editDistance("", "abc"), 3);
  EXPECT_EQ(editDistance("Box", "box"), 0);
  EXPECT_EQ(nearestName("raduis", {"type", "radius", "position"}), "radius");
  EXPECT_EQ(nearestName("towr", {"wall", "tower"}), "tower");
  EXPECT_EQ(nearestName("link", {"ground", "link.0", "link.1"}), "link.0");
  EXPECT_EQ(nearestName("zebra", {"wall", "tower"}), "");
  EXPECT_EQ(nearestName("", {"wall"}), "");
}

}  // namespace
}  // namespace cairn
