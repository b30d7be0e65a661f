#include "lab/session.hpp"

#include "lab/lab_scenes.hpp"

namespace cairn {
namespace {

void run(LabSession& session, double seconds) {
  const double end = session.world().time() + seconds;
  while (session.world().time() < end - 1e-9) ASSERT_EQ(session.step().status, StepStatus::Ok);
}

// m: what its weight stretches the spring by, which is one of 4 Hz seen through an implicit step of 1/60 s.
double sag() {
  const double w = 2 * M_PI * 4, dt = 1.0 / 60;
  return 9.81 * (1 + 2 * w * dt + w * w * dt * dt) / (w * w);
}

TEST(LabSession, ABodyFollowsTheMouseHoweverHeavyItIs) {
  for (const char* stepper : {"soft", "lcp", "velocity"}) {
    SCOPED_TRACE(stepper);
    LabSession session(playground(stepper));
    run(session, 0.2);
    std::vector<double> late;  // m, how far each is from the mouse after a tenth of a second
    for (const char* body : {"light", "heavy"}) {
      const Vec3 target = placeOf(session, body) + Vec3(0, 0, 1.5);
      session.apply(GrabEdit{body, Vec3::Zero(), target});
      run(session, 0.1);
      late.push_back((placeOf(session, body) - target).norm());
      run(session, 2.0);
      EXPECT_NEAR((placeOf(session, body) - target).norm(), sag(), 1e-4);
      session.apply(ReleaseEdit{});
      run(session, 1.5);
      EXPECT_NEAR(placeOf(session, body).z(), 0.5, 0.02) << "it fell back to the floor";
    }
    EXPECT_NEAR(late[0], late[1], 0.02) << "a thousand times the mass, the same motion";
  }
}

TEST(LabSession, APlankHeldAtItsEndHangsFromTheMouse) {
  LabSession session(playground());
  session.apply(GrabEdit{"plank", {1, 0, 0}, {3, 3, 4}});
  run(session, 15.0);
  const BodyState state = *session.world().state(*session.world().findBody("plank"));
  EXPECT_NEAR((state.pose.point({1, 0, 0}) - Vec3(3, 3, 4)).norm(), sag(), 1e-3);
  EXPECT_NEAR(state.center.z(), 3.0 - sag(), 0.01) << "its centre is a metre below, so that it hangs";
}

TEST(LabSession, TheSpringNeverExplodes) {
  for (const char* dt : {"0.001", "0.0166", "0.1", "1"}) {
    LabSession session(playground());
    session.apply(SetEdit{"dt", dt});
    session.apply(GrabEdit{"light", {0.5, 0.5, 0.5}, {0, 0, 3}});
    double fastest = 0.0;
    for (int i = 0; i < 300; ++i) {
      session.apply(DragEdit{{i % 2 == 0 ? 1e7 : -1e7, 0, 5}});  // torn to and fro as hard as the protocol allows
      ASSERT_EQ(session.step().status, StepStatus::Ok);
      fastest = std::max(fastest, session.world().state(*session.world().findBody("light"))->linearVelocity.norm());
    }
    EXPECT_FALSE(session.world().isQuarantined(*session.world().findBody("light"))) << dt;
    EXPECT_LT(fastest, 100.0) << dt;
  }
}

TEST(LabSession, PullingWakesASleeper) {
  LabSession session(playground());
  session.apply(SetEdit{"settings.sleep.enabled", "true"});
  run(session, 3.0);
  const BodyId light = *session.world().findBody("light");
  ASSERT_FALSE(session.world().isAwake(light));
  session.apply(GrabEdit{"light", Vec3::Zero(), {0, 0, 2}});
  run(session, 1.0);
  EXPECT_GT(placeOf(session, "light").z(), 1.8);
}

TEST(LabSession, WhatIsChangedWakesThoseWhoRest) {
  LabSession session(playground());
  session.apply(SetEdit{"settings.sleep.enabled", "true"});
  run(session, 3.0);
  ASSERT_FALSE(session.world().isAwake(*session.world().findBody("heavy")));
  session.apply(SetEdit{"settings.gravity", "[0, 0, 9.81]"});
  run(session, 1.0);
  EXPECT_NEAR(placeOf(session, "heavy").z(), 0.5 + 0.5 * 9.81, 0.1) << "it falls upwards, as told";
}

TEST(LabSession, APinHoldsABodyWhereItIsAndLetsGo) {
  LabSession session(playground());
  session.apply(GrabEdit{"light", Vec3::Zero(), {0, 0, 2}});
  run(session, 1.0);
  session.apply(ReleaseEdit{});
  const Vec3 place = placeOf(session, "light");
  session.apply(PinEdit{"light"});
  EXPECT_EQ(session.pins().size(), 1u);
  run(session, 2.0);
  EXPECT_NEAR((placeOf(session, "light") - place).norm(), 0.0, 1e-3);
  EXPECT_THROW(session.apply(PinEdit{"light"}), EditRefused);
  session.apply(UnpinEdit{"light"});
  EXPECT_TRUE(session.pins().empty());
  run(session, 1.0);
  EXPECT_LT(placeOf(session, "light").z(), 0.6);
}

TEST(LabSession, ThrownAndDroppedBodiesComeAndDeletedOnesGo) {
  LabSession session(playground());
  session.takeChanges();
  session.apply(ThrowEdit{{0, 0, 10}, {5, 0, 0}, 0.2, 1000});
  EXPECT_NEAR(session.world().massProperties(*session.world().findBody("thrown.1"))->mass, 1000 * 4.0 / 3.0 * M_PI * 0.008,
              1e-9);
  run(session, 0.2);
  EXPECT_NEAR(placeOf(session, "thrown.1").x(), 1.0, 1e-6);
  for (const char* shape : {"box", "sphere", "capsule", "cylinder", "hull"}) session.apply(AddEdit{shape, {0, 0, 20}, 0.5});
  const LabSession::Changes changes = session.takeChanges();
  EXPECT_EQ(changes.added.size(), 6u);
  EXPECT_TRUE(changes.removed.empty());
  const std::uint32_t slot = session.world().findBody("heavy")->index;
  session.apply(GrabEdit{"heavy", Vec3::Zero(), {0, 0, 5}});
  session.apply(DeleteEdit{"heavy"});
  EXPECT_FALSE(session.spring().has_value()) << "nothing is left to pull";
  EXPECT_EQ(session.takeChanges().removed, std::vector<std::uint32_t>{slot});
  EXPECT_FALSE(session.world().findBody("heavy").has_value());
  run(session, 0.5);
}

TEST(LabSession, ABodyThatComesAndGoesBetweenTwoStepsIsNotToldOf) {
  LabSession session(playground());
  session.takeChanges();
  session.apply(AddEdit{"box", {0, 0, 20}, 0.5});
  session.apply(DeleteEdit{"dropped.1"});
  EXPECT_FALSE(session.takeChanges().any());
}

TEST(LabSession, FrictionOverAllSurfacesAlsoHoldsForThoseWhoComeLater) {
  LabSession session(playground());
  session.apply(SetEdit{"friction", "0.125"});
  session.apply(AddEdit{"box", {0, 0, 20}, 0.5});
  run(session, 0.5);
  for (const char* name : {"light", "late", "dropped.1"}) {
    const BodyId body = *session.world().findBody(name);
    EXPECT_EQ(session.world().shape(session.world().shapes(body)[0])->material.friction, 0.125) << name;
  }
  session.apply(SetEdit{"friction", "scene"});
  const BodyId light = *session.world().findBody("light");
  EXPECT_EQ(session.world().shape(session.world().shapes(light)[0])->material.friction, 0.5) << "as the scene has it";
}

TEST(LabSession, AnEditThatFailsLeavesEverythingAsItWas) {
  LabSession session(playground());
  run(session, 0.1);
  const std::uint64_t hash = session.stateHash();
  const Edit wrong[] = {SetEdit{"settings.stepper", "nonsense"},
                        SetEdit{"settings.solver.name", "nonsense"},
                        SetEdit{"settings.solver.tolerance", "7"},
                        SetEdit{"settings.solver.milliseconds", "5"},
                        SetEdit{"settings.nothing", "1"},
                        SetEdit{"rows", "10"},
                        SetEdit{"dt", "0"},
                        SetEdit{"dt", "nan"},
                        SetEdit{"dt", "2"},
                        SetEdit{"friction", "-1"},
                        SetEdit{"restitution", "1.5"},
                        SetEdit{"restitution", "inf"},
                        GrabEdit{"nobody", Vec3::Zero(), Vec3::Zero()},
                        GrabEdit{"floor", Vec3::Zero(), Vec3::Zero()},
                        GrabEdit{"slab", Vec3::Zero(), Vec3::Zero()},
                        DragEdit{Vec3::Zero()},
                        ThrowEdit{{0, 0, 9}, {1e5, 1e5, 1e5}, 0.1, 1000},  // faster than the world allows
                        AddEdit{"teapot", Vec3::Zero(), 0.5},
                        PinEdit{"floor"},
                        UnpinEdit{"light"},
                        DeleteEdit{"nobody"}};
  for (const Edit& edit : wrong) {
    const LabSettings before = session.settings();
    EXPECT_THROW(session.apply(edit), EditRefused) << editText(edit);
    CompactJson then, now;
    describeSettings(then, "", before);
    describeSettings(now, "", session.settings());
    EXPECT_EQ(then.text(), now.text()) << editText(edit);
    EXPECT_EQ(session.stateHash(), hash) << editText(edit);
    EXPECT_FALSE(session.takeChanges().any() && session.steps() > 30) << editText(edit);
  }
  EXPECT_EQ(session.step().status, StepStatus::Ok);
}

TEST(LabSession, ARefusedStepMovesNothingAndIsNotCounted) {
  LabSession session(playground());
  run(session, 0.1);
  session.apply(GrabEdit{"light", Vec3::Zero(), {0, 0, 2}});
  const std::uint64_t hash = session.stateHash();
  const long steps = session.steps();
  session.apply(SetEdit{"settings.stepper", "gauss"});  // takes no friction
  const StepReport report = session.step();
  EXPECT_EQ(report.status, StepStatus::Refused);
  EXPECT_NE(std::string(report.refusal()).find("friction"), std::string::npos);
  EXPECT_EQ(session.stateHash(), hash);
  EXPECT_EQ(session.steps(), steps);

  // The same in a session that never tried: the pull of the step that did not happen must not be felt twice.
  LabSession other(playground());
  run(other, 0.1);
  other.apply(GrabEdit{"light", Vec3::Zero(), {0, 0, 2}});
  for (int i = 0; i < 5; ++i) session.step();
  session.apply(SetEdit{"settings.stepper", "soft"});
  for (int i = 0; i < 10; ++i) {
    session.step();
    other.step();
    EXPECT_EQ(session.stateHash(), other.stateHash()) << i;
  }
}

}  // namespace
}  // namespace cairn
