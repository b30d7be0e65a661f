#include "cairn/options.hpp"

#include <utility>

#include "base/tasks.hpp"
#include "cairn/world.hpp"
#include "mechanics/free_motion.hpp"

namespace cairn {
namespace {

template <auto Member>
OptionPlace at(WorldSettings& settings) {
  return &(settings.*Member);
}
template <auto Group, auto Member>
OptionPlace at(WorldSettings& settings) {
  return &((settings.*Group).*Member);
}

Option choice(std::string_view name, OptionPlace (*place)(WorldSettings&), std::string_view meaning,
              std::vector<std::string_view> choices) {
  return {name, place, meaning, 0.0, 0.0, {}, std::move(choices)};
}

OptionGroup worldOptions() {
  using W = WorldSettings;
  return {"",
          "of the world",
          {choice("stepper", at<&W::stepper>, "the method", stepperNames()),
           {"threads", at<&W::threads>, "the result does not depend on it", 1, kMostThreads},
           {"speculative_distance", at<&W::speculativeDistance>, "contacts are made this early", 0, 10, "m"},
           {"weld_distance", at<&W::weldDistance>,
            "radius of the ball that feels what abutting immovable shapes are together; 0: each is felt by itself", 0, 1, "m"},
           {"restitution_speed", at<&W::restitutionSpeed>, "slower approaches do not bounce", 0, 1e3, "m/s"},
           {"maximum_coordinate", at<&W::maximumCoordinate>, "a body beyond is quarantined", 1, 1e12, "m"},
           {"maximum_speed", at<&W::maximumSpeed>, "a faster body is quarantined", 1, 1e8, "m/s"},
           choice("integrator", at<&W::integrator>, "of free motion; momentum keeps energy and momentum of rotation",
                  {kIntegratorNames.begin(), kIntegratorNames.end()}),
           choice("joint_method", at<&W::jointMethod>,
                  "of joints in contact problems; elimination makes those that form trees part of the masses, exactly",
                  {"multipliers", "elimination"})}};
}

OptionGroup softOptions() {
  constexpr auto soft = &WorldSettings::soft;
  using O = SoftOptions;
  return {"soft",
          "of the stepper \"soft\"",
          {{"substeps", at<soft, &O::substeps>, "in each step, at most", 1, 1000},
           {"least_substeps", at<soft, &O::leastSubsteps>,
            "for islands that need few; as many as \"substeps\" gives all islands the same", 1, 1000},
           {"direct", at<soft, &O::direct>,
            "small islands whose contacts carry more than springs can are solved as one system, whatever the masses"},
           {"contact_frequency", at<soft, &O::contactFrequency>,
            "how fast a contact without stated stiffness pushes bodies apart; at most 3/16 of the substep rate", 1e-3, 1e6,
            "Hz"},
           {"contact_damping_ratio", at<soft, &O::contactDampingRatio>, "of critical damping; above 1 contacts do not ring",
            0, 1e3},
           {"push_out_speed", at<soft, &O::pushOutSpeed>, "at most, out of penetration", 1e-3, 1e4, "m/s"},
           {"joint_frequency", at<soft, &O::jointFrequency>, "at most a quarter of the substep rate", 1e-3, 1e6, "Hz"},
           {"joint_damping_ratio", at<soft, &O::jointDampingRatio>, "of critical damping", 0, 1e3}}};
}

OptionGroup solverOptions() {
  constexpr auto solver = &WorldSettings::solver;
  using O = SolverSettings;
  return {"solver",
          "of contact problems; of all steppers but \"soft\"",
          {{"name", at<solver, &O::name>, "with options if wanted, such as \"bgs:order=random\""},
           {"tolerance", at<solver, &O::tolerance>, "relative residual at which an island counts as solved", 1e-15, 1},
           {"iterations", at<solver, &O::iterations>, "at most, for each island; 0: the solver's own limit", 0, 1e9},
           {"milliseconds", at<solver, &O::milliseconds>,
            "at most, for each island; 0: none. With a limit, results depend on the machine", 0, 1e9, "ms"}}};
}

OptionGroup frictionOptions() {
  constexpr auto friction = &WorldSettings::friction;
  return {"friction",
          "the law of friction in them",
          {choice("law", at<friction, &FrictionSettings::law>, "auto is the roundest that the solver takes",
                  {"auto", "cone", "pyramid", "box", "none"}),
           {"facets", at<friction, &FrictionSettings::facets>, "of a pyramid, an even number", 4, 1024}}};
}

OptionGroup velocityOptions() {
  constexpr auto velocity = &WorldSettings::velocity;
  using O = VelocityOptions;
  return {"velocity",
          "of the stepper \"velocity\"",
          {{"stabilisation", at<velocity, &O::stabilisation>, "share of a penetration or joint error that a step takes back",
            0, 1},
           {"slop", at<velocity, &O::slop>, "penetration that is left alone", 0, 1, "m"},
           {"push_out_speed", at<velocity, &O::pushOutSpeed>, "at most, out of penetration", 1e-3, 1e4, "m/s"}}};
}

OptionGroup sleepOptions() {
  constexpr auto sleep = &WorldSettings::sleep;
  using O = SleepOptions;
  return {"sleep",
          "bodies at rest may stop being simulated",
          {{"enabled", at<sleep, &O::enabled>, ""},
           {"linear_speed", at<sleep, &O::linearSpeed>, "", 0, 1e3, "m/s"},
           {"angular_speed", at<sleep, &O::angularSpeed>, "", 0, 1e3, "rad/s"},
           {"seconds", at<sleep, &O::seconds>, "a whole island must be slower than both for this long", 0, 1e6, "s"}}};
}

OptionGroup impactOptions() {
  return {"impact",
          "impacts at one instant, of steppers that resolve impacts as such",
          {choice("order", at<&WorldSettings::impact, &ImpactSettings::order>,
                  "all at once, or one after the other: the first pair that approaches, again and again",
                  {"simultaneous", "sequential"})}};
}

OptionGroup lcpOptions() {
  constexpr auto lcp = &WorldSettings::lcp;
  using O = LcpOptions;
  return {"lcp",
          "of the stepper \"lcp\"",
          {choice("variant", at<lcp, &O::variant>,
                  "Anitescu's scheme; Stewart and Trinkle's (plastic, all of a gap); Anitescu and Potra's (no gaps: always "
                  "solvable, drifts)",
                  {"anitescu", "stewart_trinkle", "anitescu_potra"}),
           {"stabilisation", at<lcp, &O::stabilisation>, "gamma: share of a gap or penetration that a step closes", 1e-6, 1},
           {"slop", at<lcp, &O::slop>, "contacts that are nearer count as touching", 0, 1, "m"},
           {"bounce_speed", at<lcp, &O::bounceSpeed>, "slower impacts do not bounce; 0: twice what gravity adds in a step",
            0, 1e3, "m/s"},
           {"push_out_speed", at<lcp, &O::pushOutSpeed>, "at most, out of penetration", 1e-3, 1e4, "m/s"}}};
}

OptionGroup shockOptions() {
  constexpr auto shock = &WorldSettings::shock;
  using O = ShockOptions;
  return {"shock",
          "of the stepper \"shock\"",
          {{"share", at<shock, &O::share>, "a: share of the step that is solved for all layers at once", 0, 1},
           {"iterations", at<shock, &O::iterations>, "of the solver, for velocities", 1, 1e6},
           {"correction_iterations", at<shock, &O::correctionIterations>, "of the solver, for positions", 0, 1e6},
           {"slop", at<shock, &O::slop>, "penetration that is left alone", 0, 1, "m"},
           {"correction_share", at<shock, &O::correctionShare>, "of a penetration, in each correction", 0, 1}}};
}

OptionGroup implicitOptions() {
  constexpr auto implicit = &WorldSettings::implicit;
  using O = ImplicitOptions;
  return {"implicit",
          "of the stepper \"implicit\"",
          {{"tolerance", at<implicit, &O::tolerance>, "how far the last pass may move any body", 1e-14, 1, "m"},
           {"passes", at<implicit, &O::passes>, "at most; then the step is halved", 1, 1000},
           {"halvings", at<implicit, &O::halvings>, "at most; then the step ends as it is, and says so", 0, 20},
           {"push_out_speed", at<implicit, &O::pushOutSpeed>, "at most, out of penetration", 1e-3, 1e4, "m/s"}}};
}

OptionGroup gaussOptions() {
  constexpr auto gauss = &WorldSettings::gauss;
  using O = GaussOptions;
  return {
      "gauss",
      "of the stepper \"gauss\"",
      {choice("order", at<gauss, &O::order>, "second: masses and velocities; first: quasi-static", {"second", "first"}),
       {"relaxation", at<gauss, &O::relaxation>, "first order: velocity = relaxation times acceleration", 1e-6, 1e6, "s"},
       {"slop", at<gauss, &O::slop>, "penetration that is left alone", 0, 1, "m"}}};
}

OptionGroup accelerationOptions() {
  constexpr auto acceleration = &WorldSettings::acceleration;
  using O = AccelerationOptions;
  return {
      "acceleration",
      "of the stepper \"acceleration\"",
      {{"tolerance", at<acceleration, &O::tolerance>, "relative, of the integration between events", 1e-13, 1e-2},
       {"event_seconds", at<acceleration, &O::eventSeconds>, "how exactly events are located", 1e-14, 1, "s"},
       choice("location", at<acceleration, &O::location>, "of events in time", {"bisection", "conservative"}),
       {"events", at<acceleration, &O::events>, "at most, in a step and island", 1, 1e6},
       {"zeno_seconds", at<acceleration, &O::zenoSeconds>, "bounces that would all be over sooner end at once", 0, 1, "s"}}};
}

OptionGroup impulseOptions() {
  constexpr auto impulse = &WorldSettings::impulse;
  using O = ImpulseOptions;
  return {
      "impulse",
      "of the stepper \"impulse\"",
      {choice("method", at<impulse, &O::method>,
              "events on a heap of impact times, or collisions, contacts and shock in passes", {"mirtich", "guendelman"}),
       {"envelope", at<impulse, &O::envelope>, "bodies this near touch", 1e-9, 1, "m"},
       {"events", at<impulse, &O::events>, "mirtich: at most, per body and step", 1, 1e6},
       {"collision_passes", at<impulse, &O::collisionPasses>, "guendelman", 1, 1e4},
       {"contact_passes", at<impulse, &O::contactPasses>, "guendelman", 1, 1e4},
       {"shock", at<impulse, &O::shock>, "guendelman: a last pass by layers"}}};
}

OptionGroup penaltyOptions() {
  constexpr auto penalty = &WorldSettings::penalty;
  using O = PenaltyOptions;
  return {
      "penalty",
      "of the stepper \"penalty\"",
      {choice("law", at<penalty, &O::law>, "force grows with depth, or with depth^1.5", {"linear", "hertz"}),
       {"stiffness", at<penalty, &O::stiffness>, "of a point whose material states none; N/m^1.5 for hertz", 1e-3, 1e15,
        "N/m"},
       {"damping", at<penalty, &O::damping>,
        "of contacts that carry, at least, if linear and implicit; never below critical. Of those that bounce it "
        "follows from the restitution",
        0, 1e15, "N s/m"},
       {"friction_stiffness", at<penalty, &O::frictionStiffness>, "of the spring along the surface", 1e-3, 1e15, "N/m"},
       {"friction_damping", at<penalty, &O::frictionDamping>, "along the surface", 0, 1e15, "N s/m"},
       {"implicit", at<penalty, &O::implicit>, "else by repetition, all contacts in substeps of a twentieth of an impact"},
       {"substeps", at<penalty, &O::substeps>, "at least; impacts take about twenty more", 1, 1e6}}};
}

OptionGroup hybridOptions() {
  constexpr auto hybrid = &WorldSettings::hybrid;
  using O = HybridOptions;
  return {"hybrid",
          "of the stepper \"hybrid\"",
          {{"lasting_flight", at<hybrid, &O::lastingFlight>, "a bounce shorter than this makes a contact lasting", 0, 1e6,
            "steps"},
           {"stack_flight", at<hybrid, &O::stackFlight>, "the same where an island has two or more loaded contacts", 0, 1e6,
            "steps"},
           {"release_flight", at<hybrid, &O::releaseFlight>, "an impact that flies longer makes it brief again", 0, 1e6,
            "steps"},
           {"release_steps", at<hybrid, &O::releaseSteps>, "without load until a lasting contact is brief again", 1, 1000}}};
}

}  // namespace

ConstOptionPlace Option::placeIn(const WorldSettings& settings) const {
  // The places are the same; what is found is handed on as const.
  return std::visit([](auto* found) -> ConstOptionPlace { return found; }, place(const_cast<WorldSettings&>(settings)));
}

std::string Option::member() const {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size())
      text += static_cast<char>(name[++i] - 'a' + 'A');
    else
      text += name[i];
  }
  return text;
}

std::span<const OptionGroup> optionGroups() {
  static const std::vector<OptionGroup> groups = {
      worldOptions(), softOptions(),         solverOptions(),  frictionOptions(), velocityOptions(),
      sleepOptions(), impactOptions(),       lcpOptions(),     shockOptions(),    implicitOptions(),
      gaussOptions(), accelerationOptions(), impulseOptions(), penaltyOptions(),  hybridOptions()};
  return groups;
}

const OptionGroup* findOptions(std::string_view group) {
  for (const OptionGroup& one : optionGroups())
    if (one.name == group) return &one;
  return nullptr;
}

const Option* findOption(std::string_view group, std::string_view name) {
  const OptionGroup* options = findOptions(group);
  if (options == nullptr) return nullptr;
  for (const Option& one : options->options)
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace cairn
