// The parser of what clients send, with what they should send and with anything else.
#include "lab/request.hpp"

#include <cmath>

#include "lab/frame.hpp"
#include "lab/lab_scenes.hpp"

namespace cairn {
namespace {

template <class Kind>
Kind controlled(const std::string& text) {
  return std::get<Kind>(std::get<ControlRequest>(readRequest(text).request));
}

TEST(Request, ReadsWhatTheProtocolSays) {
  EXPECT_EQ(std::get<AckRequest>(readRequest(R"({"do":"ack","frame":4294967295})").request).frame, 4294967295u);
  EXPECT_EQ(std::get<SeeRequest>(readRequest(R"({"do":"see","contacts":true,"islands":false,"boxes":true})").request).parts,
            kContactsPart | kBoxesPart);
  EXPECT_TRUE(std::holds_alternative<TakeControl>(readRequest(R"({"do":"control"})").request));
  EXPECT_TRUE(std::holds_alternative<YieldControl>(readRequest(R"({"do":"yield"})").request));
  controlled<PlayRequest>(R"({"do":"play"})");
  controlled<PauseRequest>(R"({"do":"pause"})");
  controlled<RestartRequest>(R"({"do":"restart"})");
  EXPECT_EQ(controlled<StepRequest>(R"({"do":"step","count":3})").count, 3);
  EXPECT_EQ(controlled<StepRequest>(R"({"do":"step"})").count, 1);
  EXPECT_EQ(controlled<SpeedRequest>(R"({"do":"speed","value":0.25})").value, 0.25);
  EXPECT_TRUE(controlled<RecordRequest>(R"({"do":"record","on":true})").on);
  const LoadRequest load = controlled<LoadRequest>(R"({"do":"load","scene":"wall","set":{"rows":"10","columns":5}})");
  EXPECT_EQ(load.scene, "wall");
  ASSERT_EQ(load.set.size(), 2u);
  EXPECT_EQ(load.set[0].key + "=" + load.set[0].value, "rows=10");
  EXPECT_EQ(load.set[1].key + "=" + load.set[1].value, "columns=5");
  EXPECT_EQ(std::get<DragEdit>(controlled<Edit>(R"({"do":"drag","to":[1,2,3]})")).to, Vec3(1, 2, 3));
}

TEST(Request, ABadOneSaysWhatItWasAbout) {
  try {
    readRequest(R"({"do":"step","count":100000})");
    FAIL();
  } catch (const BadRequest& error) {
    EXPECT_EQ(error.about(), "step");
    EXPECT_STREQ(error.what(), "count: found 100000; allowed: a whole number from 1 to 1000");
  }
  try {
    readRequest(R"({"do":"restrat"})");
    FAIL();
  } catch (const BadRequest& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"restart\"?"), std::string::npos) << error.what();
  }
}

TEST(Request, DeepNestingUsesNoStack) {
  for (const std::string opening : {"[", "{\"a\":"}) {
    std::string text = R"({"do":"see","x":)";
    while (text.size() + opening.size() < kMaximumMessageBytes) text += opening;
    EXPECT_THROW(readRequest(text), BadRequest);
  }
  std::string nested = R"({"do":"control","x":)" + std::string(30000, '[') + std::string(30000, ']') + "}";
  EXPECT_TRUE(std::holds_alternative<TakeControl>(readRequest(nested).request));
}

// Whatever is accepted must be safe to act upon.
void expectSane(const Request& request) {
  const ControlRequest* control = std::get_if<ControlRequest>(&request);
  if (control == nullptr) return;
  if (const auto* step = std::get_if<StepRequest>(control)) {
    EXPECT_TRUE(step->count >= 1 && step->count <= kMostStepsAtOnce);
  }
  if (const auto* speed = std::get_if<SpeedRequest>(control)) {
    EXPECT_TRUE(speed->value == 0.0 || (speed->value >= kSlowest && speed->value <= kFastest));
  }
  const Edit* edit = std::get_if<Edit>(control);
  if (edit == nullptr) return;
  if (const auto* grab = std::get_if<GrabEdit>(edit)) {
    EXPECT_TRUE(grab->at.allFinite() && grab->to.allFinite());
    EXPECT_TRUE(!grab->body.empty() && grab->body.size() <= kMaximumNameBytes);
  }
  if (const auto* ball = std::get_if<ThrowEdit>(edit)) {
    EXPECT_TRUE(ball->from.cwiseAbs().maxCoeff() <= 1e7 && ball->velocity.cwiseAbs().maxCoeff() <= 1e5);
    EXPECT_TRUE(ball->radius >= 1e-3 && ball->density >= 1e-3);
  }
  const NamedRequest again = readRequest(editText(*edit));
  EXPECT_EQ(std::get<Edit>(std::get<ControlRequest>(again.request)), *edit);
}

TEST(Request, AHundredThousandDamagedMessagesAreReadOrRefused) {
  std::vector<std::string> seeds = {R"({"do":"ack","frame":17})",
                                    R"({"do":"see","contacts":true,"islands":true,"boxes":false})",
                                    R"({"do":"step","count":10})",
                                    R"({"do":"load","scene":"wall","set":{"rows":"10","settings.dt":0.01,"x":true}})",
                                    R"({"do":"speed","value":0.25})",
                                    R"({"do":"record","on":true})",
                                    R"({"do":"control"})"};
  RandomEdits random(7);
  for (int i = 0; i < 60; ++i) seeds.push_back(editText(random.next()));
  const std::string pieces[] = {"\"",
                                "{",
                                "}",
                                "[",
                                "]",
                                ",",
                                ":",
                                "1e308",
                                "-0",
                                "null",
                                "\\u0000",
                                "\\ud800",
                                "\xc3",
                                "1e-400",
                                "9223372036854775808",
                                "\"do\":",
                                "\"to\":",
                                "\n",
                                std::string(1, '\0'),
                                "e",
                                "."};
  long read = 0, refused = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text = seeds[random.whole(0, static_cast<int>(seeds.size()) - 1)];
    for (int change = random.whole(1, 4); change > 0 && !text.empty(); --change) {
      const int at = random.whole(0, static_cast<int>(text.size()) - 1);
      switch (random.whole(0, 5)) {
        case 0:
          text[at] = static_cast<char>(random.whole(0, 255));
          break;
        case 1:
          text.erase(at, random.whole(1, 8));
          break;
        case 2:
          text.insert(at, pieces[random.whole(0, static_cast<int>(std::size(pieces)) - 1)]);
          break;
        case 3:
          text.resize(at);
          break;
        case 4:
          text.insert(at, text.substr(random.whole(0, at), random.whole(1, 20)));
          break;
        default:  // a digit into another: numbers of all sizes
          for (std::size_t k = at; k < text.size(); ++k) {
            if (text[k] < '0' || text[k] > '9') continue;
            text[k] = static_cast<char>('0' + random.whole(0, 9));
            break;
          }
      }
    }
    try {
      const NamedRequest request = readRequest(text);
      ++read;
      expectSane(request.request);
    } catch (const BadRequest& error) {
      ++refused;
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
  // Both sides of the parser must have been visited, or this was no test.
  EXPECT_GT(read, 5000);
  EXPECT_GT(refused, 50000);
}

}  // namespace
}  // namespace cairn
