#include "lab/edit.hpp"

#include <cmath>
#include <cstring>

#include "lab/lab_scenes.hpp"

namespace cairn {
namespace {

Edit read(const std::string& text) {
  const MessageReader message(text);
  return readEdit(message.text("do", 100), message).value();
}

// The texts are those of docs/lab-protocol.md.
TEST(Edit, IsWrittenAsTheProtocolSays) {
  EXPECT_EQ(editText(SetEdit{"settings.stepper", "lcp"}), R"({"do":"set","key":"settings.stepper","value":"lcp"})");
  EXPECT_EQ(editText(GrabEdit{"brick.3.17", {0.5, 0, 0}, {1, 2, 3}}),
            R"({"do":"grab","body":"brick.3.17","at":[0.5,0,0],"to":[1,2,3]})");
  EXPECT_EQ(editText(DragEdit{{1, 2, -3}}), R"({"do":"drag","to":[1,2,-3]})");
  EXPECT_EQ(editText(ReleaseEdit{}), R"({"do":"release"})");
  EXPECT_EQ(editText(ThrowEdit{{0, 0, 1}, {5, 0, 0}, 0.25, 2000}),
            R"({"do":"throw","from":[0,0,1],"velocity":[5,0,0],"radius":0.25,"density":2000})");
  EXPECT_EQ(editText(AddEdit{"box", {0, 0, 4}, 0.5}), R"({"do":"add","shape":"box","at":[0,0,4],"size":0.5})");
  EXPECT_EQ(editText(PinEdit{"a \"b\""}), R"({"do":"pin","body":"a \"b\""})");
  EXPECT_EQ(editText(UnpinEdit{"a"}), R"({"do":"unpin","body":"a"})");
  EXPECT_EQ(editText(DeleteEdit{"a"}), R"({"do":"delete","body":"a"})");
}

TEST(Edit, ReadsBackToTheBit) {
  RandomEdits random(1);
  for (int i = 0; i < 2000; ++i) {
    const Edit edit = random.next();
    EXPECT_EQ(read(editText(edit)), edit) << editText(edit);
  }
  // Numbers that are easily lost: signed zero, the smallest there is, a neighbour of 1, many digits.
  for (const double number :
       {-0.0, 5e-324, -2.2250738585072014e-308, 1.0000000000000002, 0.1 + 0.2, 1e7, -9999999.999999998}) {
    const Edit edit = read(editText(DragEdit{{number, 0, 0}}));
    const double back = std::get<DragEdit>(edit).to.x();
    EXPECT_EQ(std::memcmp(&back, &number, sizeof back), 0) << editText(edit);
  }
}

TEST(Edit, TakesNumbersAndTruthValuesForSettings) {
  EXPECT_EQ(std::get<SetEdit>(read(R"({"do":"set","key":"friction","value":0.25})")).value, "0.25");
  EXPECT_EQ(std::get<SetEdit>(read(R"({"do":"set","key":"settings.sleep.enabled","value":true})")).value, "true");
  const ThrowEdit plain = std::get<ThrowEdit>(read(R"({"do":"throw","from":[0,0,1],"velocity":[5,0,0]})"));
  EXPECT_EQ(plain.radius, 0.25);
  EXPECT_EQ(plain.density, 2000);
}

TEST(Edit, SaysWhatIsWrongWithAMessage) {
  const std::pair<std::string, std::string> wrong[] = {
      {"", "no JSON"},
      {"[]", "found a list of 0; allowed: a JSON object"},
      {R"({"do":"drag"})", "to: found nothing; allowed: a list of 3 numbers"},
      {R"({"do":"drag","to":[1,2]})", "to: found a list of 2; allowed: a list of 3 numbers"},
      {R"({"do":"drag","to":[1,2,"3"]})", "to: found the text \"3\"; allowed: a number from -1e+07 to 1e+07 m"},
      {R"({"do":"drag","to":[1,2,1e9]})", "to: found 1e+09"},
      {R"({"do":"drag","to":[1,2,1e999]})", "Number too big to be stored in double"},
      {R"({"do":"drag","to":[1,2,1e-999]})", "too small to be told from zero"},
      {R"({"do":"drag","to":[1,2,0x10]})", "no JSON"},
      {R"({"do":"drag","to":[1,2,NaN]})", "no JSON"},
      {R"({"do":"throw","from":[0,0,0],"velocity":[0,0,0],"radius":0})", "radius: found 0; allowed: a number from 0.001"},
      {R"({"do":"pin","body":""})", "body: found the text \"\"; allowed: a text of 1 to 1000 bytes"},
      {R"({"do":"pin","body":")" + std::string(1001, 'x') + "\"}", "body: found a text of 1001 bytes"},
      {R"({"do":"set","key":"dt","value":null})", "value: found null"},
      {"{\"do\":\"pin\",\"body\":\"\xff\"}", "no JSON"},
      {std::string(70000, ' '), "found a message of 70000 bytes; allowed: at most 65536"},
  };
  for (const auto& [text, expected] : wrong) {
    try {
      read(text);
      ADD_FAILURE() << text.substr(0, 100);
    } catch (const BadMessage& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace cairn
