// cairn mesh, as people run it.
#include "app/running.hpp"

namespace cairn {
namespace {

// A box of 2 x 4 x 6 file units about the origin; without its last face if it is open.
std::string boxObj(bool isOpen = false) {
  std::string text = "o crate\n";
  for (int i = 0; i < 8; ++i)
    text += std::string("v ") + (i & 1 ? "1 " : "-1 ") + (i & 2 ? "2 " : "-2 ") + (i & 4 ? "3\n" : "-3\n");
  text += "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n";
  return isOpen ? text : text + "f 5 6 8 7\n";
}

class MeshCommand : public InAFolder {};

TEST_F(MeshCommand, ReportsVolumeMassAndInertiaOfASolid) {
  const std::string file = write("crate.obj", boxObj());
  const Outcome outcome = run({"mesh", file, "--unit", "cm", "--density", "500", "--report", path("r.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "watertight      yes")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "part            crate: 12 triangles"));
  EXPECT_TRUE(has(outcome.out, "convex hull     8 vertices"));
  const auto report = json("r.json");
  EXPECT_TRUE(report["solid"].GetBool());
  EXPECT_NEAR(report["volume_m3"].GetDouble(), 48e-6, 1e-12);
  EXPECT_NEAR(report["mass_kg"].GetDouble(), 0.024, 1e-9);
  EXPECT_NEAR(report["inertia_kg_m2"][0][0].GetDouble(), 0.024 / 3.0 * (4.0 + 9.0) * 1e-4, 1e-12);
  // assimp gives every face vertices of its own, whatever the file says.
  ASSERT_EQ(report["defects"].Size(), 1u);
  EXPECT_STREQ(report["defects"][0]["name"].GetString(), "duplicate vertices");
  EXPECT_TRUE(report["defects"][0]["repaired"].GetBool());
}

TEST_F(MeshCommand, SaysWhatIsWrongAndWhatWouldBeRepaired) {
  const std::string file = write("open.obj", boxObj(true) + "f 1 5 7 3\n");
  const Outcome outcome = run({"mesh", file, "--report", path("r.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "duplicate triangles: 2, the first at triangle 10, would be repaired")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "open edges: 4, ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "solid           no: open edges: 4"));
  EXPECT_FALSE(json("r.json")["watertight"].GetBool());
  EXPECT_TRUE(json("r.json")["volume_m3"].IsNull());
}

TEST_F(MeshCommand, WritesConvexPartsAndAPicture) {
  const std::string file = write("crate.obj", boxObj());
  const Outcome outcome =
      run({"mesh", file, "--no-cache", "-o", path("hulls.obj"), "--picture", path("p.png"), "--report", path("r.json"), "--quiet"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(countOf(text("hulls.obj"), "\nv "), 8);
  EXPECT_EQ(text("p.png").substr(1, 3), "PNG");
  EXPECT_EQ(json("r.json")["convex_parts"]["count"].GetInt(), 1);
  const Outcome again = run({"mesh", path("hulls.obj")});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "volume          48 m3")) << again.out;
}

TEST_F(MeshCommand, BadInputIsRefusedWithCodeTwo) {
  const std::string good = write("crate.obj", boxObj()), open = write("open.obj", boxObj(true));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(has(outcome.err, words)) << outcome.err;
  };
  refused({"mesh", path("none.obj")}, "none.obj: no such file");
  refused({"mesh", write("bad.stl", "solid what\nfacet")}, "bad.stl: ");
  refused({"mesh", good, "--unit", "mile"}, "--unit: found \"mile\"; allowed: m, dm, cm");
  refused({"mesh", good, "--density", "-1"}, "--density");
  refused({"mesh", good, "--concavity", "2"}, "--concavity");
  refused({"mesh", good, "--vertices", "3"}, "--vertices");
  refused({"mesh", open, "--decompose"}, "it is not closed");
  refused({"mesh", write("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")}, "flat.obj: ");
}

}  // namespace
}  // namespace cairn
