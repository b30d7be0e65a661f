// What a wrong file is told: the line, the field, and what may have been meant.
#include "scene/helpers.hpp"

namespace cairn {
namespace {

struct WrongCase {
  std::string what;
  std::string text;
  int line;
  std::string field;
  std::vector<std::string> says;
};

std::string body(const std::string& fields) { return sceneWith("\n\"bodies\": [{" + fields + "}]"); }
std::string sphere(const std::string& fields) { return body("\"shape\": {\"type\": \"sphere\", " + fields + "}"); }
std::string two(const std::string& joint) {
  return sceneWith(
      "\"bodies\": [{\"name\": \"left\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}},"
      "{\"name\": \"right\", \"position\": [3, 0, 0], \"shape\": {\"type\": \"sphere\", \"radius\": 1}}],\n\"joints\": [" +
      joint + "]");
}

TEST(SceneErrors, NameLineFieldAndRemedy) {
  const std::vector<WrongCase> cases{
      {"misspelt key", sphere("\"raduis\": 1"), 2, "bodies[0].shape.raduis", {"did you mean \"radius\"?"}},
      {"missing size", sphere("\"density\": 1"), 2, "bodies[0].shape.radius", {"missing", "a sphere"}},
      {"negative size", sphere("\"radius\": -1"), 2, "bodies[0].shape.radius", {"found -1", "from 1e-06 to 1e+06 m"}},
      {"zero size", sphere("\"radius\": 0"), 2, "bodies[0].shape.radius", {"found 0"}},
      {"huge size", sphere("\"radius\": 1e30"), 2, "bodies[0].shape.radius", {"found 1e30"}},
      {"text for a number", sphere("\"radius\": \"big\""), 2, "bodies[0].shape.radius", {"the text \"big\"", "a number"}},
      {"null", sphere("\"radius\": null"), 2, "bodies[0].shape.radius", {"found null"}},
      {"wrong shape",
       body("\"shape\": {\"type\": \"shpere\", \"radius\": 1}"),
       2,
       "bodies[0].shape.type",
       {"did you mean \"sphere\"?"}},
      {"no shape type", body("\"shape\": {\"radius\": 1}"), 2, "bodies[0].shape.type", {"missing", "sphere"}},
      {"no shape", body("\"mass\": 1"), 2, "bodies[0].shape", {"missing"}},
      {"both shapes",
       body("\"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"shapes\": [{\"type\": \"sphere\", \"radius\": 1}]"),
       2,
       "bodies[0].shape",
       {"both"}},
      {"field of another shape",
       sphere("\"radius\": 1, \"height\": 2"),
       2,
       "bodies[0].shape.height",
       {"unknown field", "a sphere"}},
      {"zero edge", body("\"shape\": {\"type\": \"box\", \"size\": [1, 0, 1]}"), 2, "bodies[0].shape.size[1]", {"found 0"}},
      {"two edges",
       body("\"shape\": {\"type\": \"box\", \"size\": [1, 1]}"),
       2,
       "bodies[0].shape.size",
       {"a list of 2", "3 numbers"}},
      {"few points",
       body("\"shape\": {\"type\": \"hull\", \"points\": [[0,0,0]]}"),
       2,
       "bodies[0].shape.points",
       {"at least 4"}},
      {"negative mass", sphere("\"radius\": 1}, \"x\": {"), 2, "bodies[0].x", {"unknown field"}},
      {"zero mass",
       body("\"mass\": 0, \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].mass",
       {"found 0", "kg"}},
      {"wrong kind",
       body("\"kind\": \"dinamic\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].kind",
       {"did you mean \"dynamic\"?"}},
      {"dynamic plane", body("\"shape\": {\"type\": \"plane\"}"), 2, "bodies[0]", {"plane", "static"}},
      {"static with mass",
       body("\"kind\": \"static\", \"mass\": 1, \"shape\": {\"type\": \"plane\"}"),
       2,
       "bodies[0].mass",
       {"static"}},
      {"static with velocity",
       body("\"kind\": \"static\", \"velocity\": [1,0,0], \"shape\": {\"type\": \"plane\"}"),
       2,
       "bodies[0].velocity",
       {"does not move"}},
      {"zero normal",
       body("\"kind\": \"static\", \"shape\": {\"type\": \"plane\", \"normal\": [0,0,0]}"),
       2,
       "bodies[0].shape.normal",
       {"no length"}},
      {"zero quaternion",
       body("\"rotation\": [0,0,0,0], \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].rotation",
       {"quaternion"}},
      {"half a rotation",
       body("\"rotation\": {\"axis\": [0,0,1]}, \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].rotation",
       {"angle_deg"}},
      {"unknown material",
       sceneWith("\"materials\": {\"steel\": {}},\n\"bodies\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 1, "
                 "\"material\": \"steal\"}}]"),
       2,
       "bodies[0].shape.material",
       {"did you mean \"steel\"?"}},
      {"restitution above 1",
       sceneWith("\n\"materials\": {\"m\": {\"restitution\": 1.5}}"),
       2,
       "materials.m.restitution",
       {"from 0 to 1"}},
      {"stiffness alone",
       sceneWith("\n\"materials\": {\"m\": {\"stiffness\": 1e6}}"),
       2,
       "materials.m",
       {"both or neither"}},
      {"wrong stepper",
       sceneWith("\n\"settings\": {\"stepper\": \"sotf\"}"),
       2,
       "settings.stepper",
       {"did you mean \"soft\"?"}},
      {"zero dt", sceneWith("\n\"settings\": {\"dt\": 0}"), 2, "settings.dt", {"above 0 and at most 1 s"}},
      {"half a thread", sceneWith("\n\"settings\": {\"threads\": 1.5}"), 2, "settings.threads", {"whole number"}},
      {"wrong version", "{\n\"cairn\": 2}", 2, "cairn", {"found 2"}},
      {"no version", "{\"bodies\": []}", 1, "cairn", {"missing"}},
      {"a list", "[1, 2]", 1, "", {"a list of 2"}},
      {"same name",
       sceneWith("\"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}},\n{\"name\": \"a\", "
                 "\"shape\": {\"type\": \"sphere\", \"radius\": 1}}]"),
       2,
       "bodies[1].name",
       {"\"a\"", "bodies[0]", "test.json:1"}},
      {"reserved name",
       body("\"name\": \"world\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].name",
       {"world"}},
      {"joint to nobody",
       two("{\"type\": \"ball\", \"a\": \"lift\", \"b\": \"right\", \"anchor\": [0,0,0]}"),
       2,
       "joints[0].a",
       {"did you mean \"left\"?"}},
      {"joint to itself",
       two("{\"type\": \"ball\", \"a\": \"left\", \"b\": \"left\", \"anchor\": [0,0,0]}"),
       2,
       "joints[0].b",
       {"both sides"}},
      {"joint without anchor",
       two("{\"type\": \"ball\", \"a\": \"left\", \"b\": \"right\"}"),
       2,
       "joints[0].anchor",
       {"missing"}},
      {"hinge without axis",
       two("{\"type\": \"hinge\", \"a\": \"left\", \"b\": \"right\", \"anchor\": [0,0,0]}"),
       2,
       "joints[0].axis",
       {"missing", "a hinge"}},
      {"wrong joint",
       two("{\"type\": \"bal\", \"a\": \"left\", \"b\": \"right\"}"),
       2,
       "joints[0].type",
       {"did you mean \"ball\"?"}},
      {"wrong pattern",
       sphere("\"radius\": 1}, \"pattern\": {\"type\": \"rwo\", \"count\": 2"),
       2,
       "bodies[0].pattern.type",
       {"did you mean \"row\"?"}},
      {"no copies",
       sphere("\"radius\": 1}, \"pattern\": {\"type\": \"row\", \"count\": 0"),
       2,
       "bodies[0].pattern.count",
       {"found 0"}},
      {"too many copies",
       sphere("\"radius\": 1}, \"pattern\": {\"type\": \"grid\", \"count\": [1000, 1000, 1000], \"step\": [1, 1, 1]"),
       2,
       "bodies[0].pattern",
       {"at most 1000000"}},
      {"wall of balls",
       sphere("\"radius\": 1}, \"pattern\": {\"type\": \"wall\", \"rows\": 2, \"columns\": 2"),
       2,
       "bodies[0].pattern",
       {"box"}},
      {"unknown parameter", sphere("\"radius\": \"$r\""), 2, "bodies[0].shape.radius", {"no parameter"}},
      {"half extents", body("\"shape\": {\"type\": \"box\", \"half_extents\": [1, 1, 1]}"), 2, "bodies[0].shape.half_extents",
       {"here it is \"size\": full edge lengths"}},
      {"type for kind", body("\"type\": \"static\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"), 2, "bodies[0].type",
       {"here it is \"kind\""}},
      {"revolute", sceneWith("\"bodies\": [],\n\"joints\": [{\"type\": \"Revolute\", \"a\": \"x\", \"b\": \"y\"}]"), 2,
       "joints[0].type", {"here it is \"hinge\""}},
      {"cube", body("\"shape\": {\"type\": \"cube\"}"), 2, "bodies[0].shape.type", {"here it is \"box\""}},
      {"timestep", sceneWith("\n\"timestep\": 0.01, \"bodies\": []"), 2, "timestep", {"\"settings\": {\"dt\": ...}"}},
      {"three angles", body("\"rotation\": [0, 0, 90], \"shape\": {\"type\": \"sphere\", \"radius\": 1}"), 2,
       "bodies[0].rotation", {"{\"euler_deg\": [roll, pitch, yaw]}"}},
      {"no version", "{\n\"bodies\": []}", 1, "cairn", {"add \"cairn\": 1"}},
      {"top-level misspelt", sceneWith("\n\"bodeis\": []"), 2, "bodeis", {"did you mean \"bodies\"?"}},
      {"asymmetric inertia",
       body("\"mass_properties\": {\"mass\": 1, \"inertia\": [[1,0,1],[0,1,0],[0,0,1]]}, \"shape\": {\"type\": \"sphere\", "
            "\"radius\": 1}"),
       2,
       "bodies[0].mass_properties.inertia",
       {"symmetric"}},
      {"group 33", sphere("\"radius\": 1, \"group\": 33"), 2, "bodies[0].shape.group", {"from 1 to 32"}},
      {"control character",
       body("\"name\": \"a\\u0007b\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
       2,
       "bodies[0].name",
       {"control"}},
  };
  for (const WrongCase& one : cases) {
    SCOPED_TRACE(one.what);
    const std::vector<SceneProblem> problems = problemsOf(one.text);
    const SceneProblem& problem = problems.front();
    EXPECT_EQ(problem.file, "test.json");
    EXPECT_EQ(problem.line, one.line) << problem.format();
    EXPECT_EQ(problem.field, one.field) << problem.format();
    for (const std::string& part : one.says) {
      EXPECT_NE(problem.message.find(part), std::string::npos) << problem.format() << "\nlacks: " << part;
    }
  }
}

TEST(SceneErrors, ASmallFileCannotAskForEndlessWork) {
  std::string points;
  for (int i = 0; i < 2500; ++i) points += "[0, 0, 1], [1, 0, 0],";
  const auto heavy = problemsOf(body("\"shape\": {\"type\": \"hull\", \"points\": [" + points +
                                     "]}, \"pattern\": {\"type\": \"row\", \"count\": 1000000}"));
  EXPECT_NE(heavy.front().message.find("hull points"), std::string::npos) << heavy.front().format();
  std::string patterns;
  for (int i = 0; i < 9; ++i) patterns += "{\"type\": \"row\", \"count\": 1},";
  const auto deep = problemsOf(sphere("\"radius\": 1}, \"pattern\": [" + patterns + "], \"x\": {"));
  EXPECT_EQ(deep.front().field, "bodies[0].pattern");
  EXPECT_NE(deep.front().message.find("at most 8"), std::string::npos) << deep.front().format();
}

TEST(SceneErrors, SeveralAreReportedAtOnce) {
  const auto problems =
      problemsOf(sceneWith("\"titel\": \"x\", \"bodies\": [{\"mas\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": -1}}, "
                           "{\"shape\": {\"type\": \"cube\"}}]"));
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].field, "titel");
  EXPECT_EQ(problems[1].field, "bodies[0].mas");
  EXPECT_EQ(problems[2].field, "bodies[0].shape.radius");
  EXPECT_EQ(problems[3].field, "bodies[1].shape.type");
}

TEST(SceneErrors, AThousandProblemsAreCountedNotListed) {
  std::string bodies;
  for (int i = 0; i < 1000; ++i) bodies += "{},";
  try {
    load(sceneWith("\"bodies\": [" + bodies + "]"));
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.problems().size(), ProblemList::kMaximumProblems);
    EXPECT_NE(std::string(error.what()).find("and 980 more"), std::string::npos);
  }
}

}  // namespace
}  // namespace cairn
