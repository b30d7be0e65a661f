// cairn query as people use it.
#include "app/running.hpp"

namespace cairn {
namespace {

class Query : public InAFolder {
 protected:
  std::string scene() const {
    return write("yard.json", R"({"cairn": 1, "settings": {"seconds": 1}, "bodies": [
      {"name": "ground", "kind": "static", "shape": {"type": "plane"}},
      {"name": "low", "kind": "static", "position": [0, 0, 1], "shape": {"type": "box", "size": [1, 1, 1]}},
      {"name": "ball", "position": [3, 0, 5], "shape": {"type": "sphere", "radius": 0.5}}]})");
  }
};

TEST_F(Query, AnswersAllKindsOfQuestions) {
  const Outcome outcome = run({"query", scene(), "--ray", "0,0,10:0,0,-1", "--ray", "9,0,1:0,0,1", "--cast",
                               "sphere=0.25:-5,0,1:10,0,0", "--overlap", "box=0.5,0.5,0.5:0.9,0,1", "--closest", "0,0,3",
                               "--closest", "low:ball", "--report", path("out.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "low              8.5 m at [0, 0, 1.5], normal [0, 0, 1]")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "ray 9,0,1:0,0,1: nothing")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "after 0.425 s at [-0.5, 0, 1], normal [-1, ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "0.1 m deep")) << outcome.out;
  const rapidjson::Document report = json("out.json");
  ASSERT_EQ(report["answers"].Size(), 6u);
  EXPECT_STREQ(report["answers"][0]["found"][0]["body"].GetString(), "low");
  EXPECT_NEAR(report["answers"][0]["found"][0]["distance_m"].GetDouble(), 8.5, 1e-12);
  EXPECT_EQ(report["answers"][1]["found"].Size(), 0u);
  EXPECT_NEAR(report["answers"][2]["found"][0]["seconds"].GetDouble(), 0.425, 1e-9);
  EXPECT_FALSE(report["answers"][2]["found"][0]["starts_in_overlap"].GetBool());
  EXPECT_NEAR(report["answers"][3]["found"][0]["distance_m"].GetDouble(), -0.1, 1e-12);
  EXPECT_NEAR(report["answers"][4]["found"][0]["distance_m"].GetDouble(), 1.5, 1e-12);
  EXPECT_NEAR(report["answers"][5]["found"][0]["distance_m"].GetDouble(), std::hypot(2.5, 3.5) - 0.5, 1e-9);
}

TEST_F(Query, AsksAtATimeAndForAll) {
  const Outcome outcome =
      run({"query", scene(), "--at", "1", "--ray", "3,0,10:0,0,-1", "--all", "--report", path("out.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
  const rapidjson::Document report = json("out.json");
  EXPECT_NEAR(report["time_s"].GetDouble(), 1.0, 1e-9);
  ASSERT_EQ(report["answers"][0]["found"].Size(), 2u);
  EXPECT_NEAR(report["answers"][0]["found"][0]["distance_m"].GetDouble(), 9.0, 0.01);  // the ball lies on the ground
  EXPECT_NEAR(report["answers"][0]["found"][1]["distance_m"].GetDouble(), 10.0, 1e-12);
}

TEST_F(Query, RefusesWhatItCannotUnderstand) {
  const auto refused = [&](const std::vector<std::string>& questions, const std::string& part) {
    std::vector<std::string> arguments{"query", scene()};
    arguments.insert(arguments.end(), questions.begin(), questions.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << part;
    EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  };
  refused({}, "no question");
  refused({"--ray", "0,0,1"}, "--ray: found \"0,0,1\"");
  refused({"--ray", "0,0,1:0,0,x"}, "\"x\" is no number");
  refused({"--ray", "0,0,1:0,0,0"}, "direction: must not be zero");
  refused({"--ray", "0,0,1:0,0,1:-3"}, "length");
  refused({"--ray", "0,0,1e999:0,0,1"}, "is no number");
  refused({"--cast", "ball=1:0,0,0:1,0,0"}, "found shape \"ball=1\"");
  refused({"--cast", "sphere=-1:0,0,0:1,0,0"}, "radius must be positive");
  refused({"--cast", "box=1,1:0,0,0:1,0,0"}, "box takes 3 numbers");
  refused({"--cast", "sphere=1:0,0,0:1,0,0:0,0,0:-1"}, "seconds");
  refused({"--overlap", "sphere=1:0,0,0:-1"}, "margin");
  refused({"--closest", "bal:low"}, "no body \"bal\"");
  refused({"--closest", "0,0"}, "the point takes 3 numbers");
  refused({"--ray", "0,0,1:0,0,1", "--at", "-1"}, "--at");
}

}  // namespace
}  // namespace cairn
