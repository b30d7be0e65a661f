#include "geometry/distance_field.hpp"

#include <gtest/gtest.h>

#include "geometry/mass.hpp"
#include "geometry/mesh_mass.hpp"
#include "geometry/mesh_testing.hpp"
#include "geometry/winding_number.hpp"

namespace cairn::testing {
namespace {

AnalyticField ball(double radius, const Vec3& at = Vec3::Zero()) { return {.pose = {at}, .size = Vec3::Constant(radius)}; }

double torusDistance(double ring, double tube, const Vec3& p) { return std::hypot(std::hypot(p.x(), p.y()) - ring, p.z()) - tube; }
double boxDistance(const Vec3& half, const Vec3& p) {
  const Vec3 q = p.cwiseAbs() - half;
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

TEST(WindingNumber, IsOneInsideAndZeroOutsideToATenth) {
  Random random(1);
  for (const Vec3& away : {Vec3(0, 0, 0), Vec3(1e6, 1e6, 1e6)}) {
    const MeshData data = torusMesh(2.0, 0.7, 60, 30).move(away);
    const WindingNumber winding(data.view());
    double worst = 0.0;
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = randomVector(random, 3.0);
      const double d = torusDistance(2.0, 0.7, p);
      if (std::abs(d) < 0.02) continue;
      const double exact = winding.exactAt(p + away);
      ASSERT_NEAR(exact, d < 0.0 ? 1.0 : 0.0, 1e-9);
      worst = std::max(worst, std::abs(winding.at(p + away) - exact));
    }
    EXPECT_LT(worst, 0.1) << "measured 0.058";
    EXPECT_GT(worst, 0.0) << "far groups are dipoles";
  }
}

TEST(AnalyticField, ExactDistancesAndSlopesOfPrimitivesWhereverTheyAre) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Pose pose = randomPose(random, 3.0);
    const Vec3 local = randomVector(random, 2.0), p = pose.point(local);
    const Vec3 half(0.5, 0.8, 0.3);
    const AnalyticField fields[] = {{.kind = FieldKind::Sphere, .pose = pose, .size = {0.7, 0, 0}},
                                    {.kind = FieldKind::Box, .pose = pose, .size = half, .rounding = 0.1},
                                    {.kind = FieldKind::Torus, .pose = pose, .size = {1.0, 0.3, 0}}};
    const double expected[] = {local.norm() - 0.7, boxDistance(half, local) - 0.1, torusDistance(1.0, 0.3, local)};
    for (int k = 0; k < 3; ++k) {
      const FieldSample sample = sampleAnalyticField(fields[k], p);
      ASSERT_NEAR(sample.value, expected[k], 1e-13);
      ASSERT_NEAR(sample.gradient.norm(), 1.0, 1e-12);
      // The nearest point of the surface lies along the slope.
      const double left = sampleAnalyticField(fields[k], p - sample.value * sample.gradient).value;
      if (sample.value > 0.0) {
        ASSERT_NEAR(left, 0.0, 1e-12);
      }
      if (sample.value <= 0.0) {
        ASSERT_TRUE((boundsOf(fields[k]).grown(1e-12).contains({p, p})));
      }
    }
  }
}

TEST(AnalyticField, SeamsAreSmoothAndSlopesAreDerivatives) {
  Random random(3);
  AnalyticField field{.kind = FieldKind::Union, .pose = {{0.1, 0.2, 0.3}, randomRotation(random)}, .seam = 0.3};
  field.children = {ball(0.5), ball(0.4, {0.7, 0, 0}), {.kind = FieldKind::Box, .pose = {{0, 0.5, 0}}, .size = {0.3, 0.3, 0.3}}};
  AnalyticField cut{.kind = FieldKind::Difference, .seam = 0.1, .children = {field, ball(0.3, {0.1, 0.2, 0.8})}};
  double seam = 0.0;
  for (const AnalyticField& f : {field, cut}) {
    const Aabb bounds = boundsOf(f);
    for (int i = 0; i < 5000; ++i) {
      const Vec3 p = randomVector(random, 1.5), direction = randomUnit(random);
      const FieldSample sample = sampleAnalyticField(f, p);
      ASSERT_LE(sample.gradient.norm(), 1.0 + 1e-12);
      const double step = 1e-5;
      const double slope = (sampleAnalyticField(f, p + step * direction).value - sampleAnalyticField(f, p - step * direction).value) / (2 * step);
      ASSERT_LT(std::abs(slope), 1.0 + 1e-9) << "a bound of the distance";
      if (std::abs(slope - sample.gradient.dot(direction)) > 1e-3) seam += 1.0;  // creases inside the box
      if (sample.value <= 0.0) {
        ASSERT_TRUE((bounds.contains({p, p})));
      }
    }
  }
  EXPECT_LT(seam, 20.0) << "of 10,000 points few lie at a crease";
}

struct Errors {
  double near = 0.0, far = 0.0, slope = 0.0, inside = 0.0;  // in cells; slope: degrees
};
template <class Distance>
Errors errorsOf(const DistanceField& field, Random& random, const Distance& distance) {
  Errors errors;
  const Aabb box = field.bounds().grown(0.5 * (field.bounds().upper - field.bounds().lower).maxCoeff());
  for (int i = 0; i < 30000; ++i) {
    const Vec3 p = box.center() + randomVector(random, 1.0).cwiseProduct(0.5 * (box.upper - box.lower));
    const double d = distance(p);
    const FieldSample sample = field.sample(p);
    const double error = std::abs(sample.value - d) / field.cellSize();
    if (std::abs(d) < 2.0 * field.cellSize()) {
      errors.near = std::max(errors.near, error);
      const double step = 1e-4;
      const Vec3 slope(distance(p + step * Vec3::UnitX()) - distance(p - step * Vec3::UnitX()),
                       distance(p + step * Vec3::UnitY()) - distance(p - step * Vec3::UnitY()),
                       distance(p + step * Vec3::UnitZ()) - distance(p - step * Vec3::UnitZ()));
      const double cosine = std::clamp(slope.normalized().dot(sample.gradient.normalized()), -1.0, 1.0);
      errors.slope = std::max(errors.slope, std::acos(cosine) * 180.0 / std::numbers::pi);
    } else {
      errors.far = std::max(errors.far, error);
      EXPECT_EQ(sample.value < 0.0, d < 0.0);
    }
  }
  return errors;
}

TEST(DistanceField, OfASphereIsWithinATwentiethOfACell) {
  Random random(4);
  const auto mesh = sphereMesh(1.0, 5).build();
  const DistanceField field(*mesh);
  const Errors errors = errorsOf(field, random, [](const Vec3& p) { return p.norm() - 1.0; });
  RecordProperty("near_cells", std::to_string(errors.near));
  RecordProperty("slope_degrees", std::to_string(errors.slope));
  EXPECT_LT(errors.near, 0.045) << "measured 0.015";
  EXPECT_LT(errors.slope, 4.0);
  EXPECT_EQ(field.uncertainSamples(), 0u);
  EXPECT_LT(field.bytes(), 1000000u);
  EXPECT_EQ(field.cellSize(), 2.0 * mesh->bounds.upper.maxCoeff() / 64.0);
}

TEST(DistanceField, OfATorusKeepsTheHoleOpenFarFromTheOriginToo) {
  Random random(5);
  for (const Vec3& away : {Vec3(0, 0, 0), Vec3(1e6, -1e6, 1e6)}) {
    const auto mesh = torusMesh(2.0, 0.5, 200, 100).move(away).build();
    const Tasks tasks(2);
    const DistanceField field(*mesh, {.tasks = &tasks});
    const Errors errors = errorsOf(field, random, [&](const Vec3& p) { return torusDistance(2.0, 0.5, p - away); });
    EXPECT_LT(errors.near, 0.15);
    EXPECT_GT(field.value(away), 1.0);
  }
}

// Planes exact; at edges the corner of a cell is cut off.
TEST(DistanceField, OfABoxIsExactOnFacesAndCutsEdgesByAThirdOfACell) {
  Random random(6);
  const Vec3 half(1.0, 0.6, 0.4);
  const auto mesh = boxMesh(half).build();
  const DistanceField field(*mesh);
  const double cell = field.cellSize();
  for (int i = 0; i < 2000; ++i) {
    Vec3 p = randomVector(random, 1.0).cwiseProduct(half - Vec3::Constant(4.0 * cell));
    const int axis = i % 3;
    const double depth = uniform(random, -2.0, 2.0) * cell;
    p[axis] = half[axis] + depth;
    const FieldSample sample = field.sample(p);
    ASSERT_NEAR(sample.value, depth, 1e-3 * cell);
    ASSERT_GT(sample.gradient[axis], 0.999);
  }
  const Errors errors = errorsOf(field, random, [&](const Vec3& p) { return boxDistance(half, p); });
  RecordProperty("edge_cells", std::to_string(errors.near));
  EXPECT_LT(errors.near, 0.45);
}

TEST(DistanceField, ValuesAreContinuousAcrossBlocksNearTheSurface) {
  const auto mesh = sphereMesh(1.0, 4).build();
  const DistanceField field(*mesh);
  const double cell = field.cellSize();
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = uniform(random, 0.95, 1.05) * randomUnit(random), q = p + 1e-7 * randomUnit(random);
    ASSERT_NEAR(field.value(p), field.value(q), 1e-3 * cell);
  }
}

TEST(DistanceField, MassIsWithinTheStatedTolerance) {
  const DistanceField sphere(ball(0.5, {3, 4, 5}));
  const MassProperties exact = shapeMass(makeShape(Sphere{0.5}), 1000.0), found = sphere.mass(1000.0);
  EXPECT_NEAR(found.mass, exact.mass, 1e-3 * exact.mass);
  EXPECT_LT((found.center - Vec3(3, 4, 5)).norm(), 1e-4);
  EXPECT_LT((found.inertia - exact.inertia).norm(), 2e-3 * exact.inertia.norm());
  const MeshData meshes[] = {boxMesh({1.0, 0.6, 0.4}), torusMesh(2.0, 0.5, 100, 50), sphereMesh(1.0, 4)};
  for (const MeshData& data : meshes) {
    const MassProperties expected = meshMass(data.view(), 700.0), sampled = DistanceField(*data.build()).mass(700.0);
    // The torus is 13 cells thick and loses 0.38 % of its mass, the others less.
    EXPECT_NEAR(sampled.mass, expected.mass, 5e-3 * expected.mass);
    EXPECT_LT((sampled.center - expected.center).norm(), 1e-4);
    EXPECT_LT((sampled.inertia - expected.inertia).norm(), 6e-3 * expected.inertia.norm());
  }
}

TEST(DistanceField, SmallHolesDoNoHarmAndAreReported) {
  MeshData data = sphereMesh(1.0, 3);
  data.triangles.erase(data.triangles.begin() + 100);
  const DistanceField field(*data.build(), {.cells = 32});
  EXPECT_GT(field.uncertainSamples(), 0u);
  EXPECT_LT(field.value(Vec3::Zero()), -0.5) << "far from the surface only blocks' corners are kept";
  EXPECT_GT(field.value(Vec3(0, 0, 1.3)), 0.25);
}

TEST(DistanceField, TheSameForAnyNumberOfThreads) {
  const auto mesh = torusMesh(2.0, 0.5, 40, 20).build();
  const Tasks tasks(3);
  const DistanceField one(*mesh, {.cells = 32}), three(*mesh, {.cells = 32, .tasks = &tasks});
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 p = randomVector(random, 4.0);
    ASSERT_EQ(one.value(p), three.value(p));
  }
}

TEST(DistanceField, TheMemoryBudgetIsKept) {
  const auto mesh = sphereMesh(1.0, 2).build();
  try {
    DistanceField field(*mesh, {.cells = 64, .mostBytes = 300000});
    FAIL() << field.bytes();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("cells: 64 need"), std::string::npos) << error.what();
  }
  EXPECT_LE(DistanceField(*mesh, {.cells = 40, .mostBytes = 300000}).bytes(), 300000u);
  EXPECT_THROW(DistanceField(*mesh, {.cells = 4}), std::invalid_argument);
}

TEST(AnalyticField, BadInputIsRefusedByField) {
  const auto refusal = [](const AnalyticField& field) -> std::string {
    try {
      DistanceField made{field};
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(ball(-1.0)), "size: a radius from 1e-6 to 1e7 m");
  AnalyticField field{.kind = FieldKind::Union};
  EXPECT_EQ(refusal(field), "children: at least one");
  field.children = {ball(1.0), ball(std::nan(""))};
  EXPECT_EQ(refusal(field), "children[1].size: a radius from 1e-6 to 1e7 m");
  AnalyticField deep = ball(1.0);
  for (int i = 0; i < 40; ++i) deep = {.kind = FieldKind::Union, .children = {deep}};
  EXPECT_NE(refusal(deep).find("nested deeper"), std::string::npos);
}

}  // namespace
}  // namespace cairn::testing
