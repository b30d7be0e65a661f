#include "scene/method_options.hpp"

#include <fmt/format.h>

#include <variant>

namespace cairn {
namespace {

template <class Options>
struct Option {
  using Member = std::variant<double Options::*, int Options::*, bool Options::*, std::string Options::*>;
  Option(const char* name, Member place, const char* meaning, const Range& allowed = Range(),
         const std::vector<std::string>& texts = std::vector<std::string>())
      : key(name), member(place), what(meaning), range(allowed), choices(texts) {}

  const char* key;
  Member member;
  const char* what;
  Range range;                       // of numbers
  std::vector<std::string> choices;  // of texts
};

template <class Options>
struct Group {
  const char* key;
  Options WorldSettings::*member;
  const char* what;
  std::vector<Option<Options>> options;
};

Range from(double low, double high, const char* unit = "") { return {.low = low, .high = high, .unit = unit}; }

// Calls use(group) for the options of each method.
template <class Use>
void forEachGroup(Use&& use) {
  use(Group<ImpactSettings>{"impact",
                            &WorldSettings::impact,
                            "impacts at one instant, of steppers that resolve impacts as such",
                            {{"order",
                              &ImpactSettings::order,
                              "all at once, or one after the other: the first pair that approaches, again and again",
                              {},
                              {"simultaneous", "sequential"}}}});
  use(Group<LcpOptions>{
      "lcp",
      &WorldSettings::lcp,
      "of the stepper \"lcp\"",
      {{"variant",
        &LcpOptions::variant,
        "Anitescu's scheme; Stewart and Trinkle's (plastic, all of a gap); Anitescu and Potra's (no gaps: always solvable, "
        "drifts)",
        {},
        {"anitescu", "stewart_trinkle", "anitescu_potra"}},
       {"stabilisation", &LcpOptions::stabilisation, "gamma: share of a gap or penetration that a step closes",
        from(1e-6, 1)},
       {"slop", &LcpOptions::slop, "contacts that are nearer count as touching", from(0, 1, "m")},
       {"bounce_speed", &LcpOptions::bounceSpeed, "slower impacts do not bounce; 0: twice what gravity adds in a step",
        from(0, 1e3, "m/s")},
       {"push_out_speed", &LcpOptions::pushOutSpeed, "at most, out of penetration", from(1e-3, 1e4, "m/s")}}});
  use(Group<ShockOptions>{
      "shock",
      &WorldSettings::shock,
      "of the stepper \"shock\"",
      {{"share", &ShockOptions::share, "a: share of the step that is solved for all layers at once", from(0, 1)},
       {"iterations", &ShockOptions::iterations, "of the solver, for velocities", from(1, 1e6)},
       {"correction_iterations", &ShockOptions::correctionIterations, "of the solver, for positions", from(0, 1e6)},
       {"slop", &ShockOptions::slop, "penetration that is left alone", from(0, 1, "m")},
       {"correction_share", &ShockOptions::correctionShare, "of a penetration, in each correction", from(0, 1)}}});
  use(Group<ImplicitOptions>{
      "implicit",
      &WorldSettings::implicit,
      "of the stepper \"implicit\"",
      {{"tolerance", &ImplicitOptions::tolerance, "how far the last pass may move any body", from(1e-14, 1, "m")},
       {"passes", &ImplicitOptions::passes, "at most; then the step is halved", from(1, 1000)},
       {"halvings", &ImplicitOptions::halvings, "at most; then the step ends as it is, and says so", from(0, 20)},
       {"push_out_speed", &ImplicitOptions::pushOutSpeed, "at most, out of penetration", from(1e-3, 1e4, "m/s")}}});
  use(Group<GaussOptions>{
      "gauss",
      &WorldSettings::gauss,
      "of the stepper \"gauss\"",
      {{"order", &GaussOptions::order, "second: masses and velocities; first: quasi-static", {}, {"second", "first"}},
       {"relaxation", &GaussOptions::relaxation, "first order: velocity = relaxation times acceleration",
        from(1e-6, 1e6, "s")},
       {"slop", &GaussOptions::slop, "penetration that is left alone", from(0, 1, "m")}}});
  use(Group<AccelerationOptions>{
      "acceleration",
      &WorldSettings::acceleration,
      "of the stepper \"acceleration\"",
      {{"tolerance", &AccelerationOptions::tolerance, "relative, of the integration between events", from(1e-13, 1e-2)},
       {"event_seconds", &AccelerationOptions::eventSeconds, "how exactly events are located", from(1e-14, 1, "s")},
       {"location", &AccelerationOptions::location, "of events in time", {}, {"bisection", "conservative"}},
       {"events", &AccelerationOptions::events, "at most, in a step and island", from(1, 1e6)},
       {"zeno_seconds", &AccelerationOptions::zenoSeconds, "bounces that would all be over sooner end at once",
        from(0, 1, "s")}}});
  use(Group<ImpulseOptions>{"impulse",
                            &WorldSettings::impulse,
                            "of the stepper \"impulse\"",
                            {{"method",
                              &ImpulseOptions::method,
                              "events on a heap of impact times, or collisions, contacts and shock in passes",
                              {},
                              {"mirtich", "guendelman"}},
                             {"envelope", &ImpulseOptions::envelope, "bodies this near touch", from(1e-9, 1, "m")},
                             {"events", &ImpulseOptions::events, "mirtich: at most, per body and step", from(1, 1e6)},
                             {"collision_passes", &ImpulseOptions::collisionPasses, "guendelman", from(1, 1e4)},
                             {"contact_passes", &ImpulseOptions::contactPasses, "guendelman", from(1, 1e4)},
                             {"shock", &ImpulseOptions::shock, "guendelman: a last pass by layers"}}});
  use(Group<PenaltyOptions>{
      "penalty",
      &WorldSettings::penalty,
      "of the stepper \"penalty\"",
      {{"law", &PenaltyOptions::law, "force grows with depth, or with depth^1.5", {}, {"linear", "hertz"}},
       {"stiffness", &PenaltyOptions::stiffness, "of a point whose material states none; N/m^1.5 for hertz",
        from(1e-3, 1e15, "N/m")},
       {"damping", &PenaltyOptions::damping,
        "of contacts that carry, at least, if linear and implicit; never below critical. Of those that bounce it follows "
        "from the restitution",
        from(0, 1e15, "N s/m")},
       {"friction_stiffness", &PenaltyOptions::frictionStiffness, "of the spring along the surface",
        from(1e-3, 1e15, "N/m")},
       {"friction_damping", &PenaltyOptions::frictionDamping, "along the surface", from(0, 1e15, "N s/m")},
       {"implicit", &PenaltyOptions::implicit, "else by repetition, all contacts in substeps of a twentieth of an impact"},
       {"substeps", &PenaltyOptions::substeps, "at least; impacts take about twenty more", from(1, 1e6)}}});
  use(Group<HybridOptions>{"hybrid",
                           &WorldSettings::hybrid,
                           "of the stepper \"hybrid\"",
                           {{"lasting_flight", &HybridOptions::lastingFlight,
                             "a bounce shorter than this makes a contact lasting", from(0, 1e6, "steps")},
                            {"stack_flight", &HybridOptions::stackFlight,
                             "the same where an island has two or more loaded contacts", from(0, 1e6, "steps")},
                            {"release_flight", &HybridOptions::releaseFlight,
                             "an impact that flies longer makes it brief again", from(0, 1e6, "steps")},
                            {"release_steps", &HybridOptions::releaseSteps,
                             "without load until a lasting contact is brief again", from(1, 1000)}}});
}

}  // namespace

std::vector<Field> methodFields() {
  const WorldSettings defaults;
  std::vector<Field> fields;
  forEachGroup([&](const auto& group) {
    const auto& values = defaults.*group.member;
    std::vector<Field> options;
    for (const auto& option : group.options) {
      const auto [rule, standard] = std::visit(
          [&](auto member) -> std::pair<RulePtr, std::string> {
            const auto& value = values.*member;
            using Value = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, double>) return {numberRule(option.range), fmt::format("{}", value)};
            if constexpr (std::is_same_v<Value, int>)
              return {integerRule(option.range.low, option.range.high), fmt::format("{}", value)};
            if constexpr (std::is_same_v<Value, bool>) return {flagRule(), fmt::format("{}", value)};
            if constexpr (std::is_same_v<Value, std::string>)
              return {choiceRule(option.choices), fmt::format("\"{}\"", value)};
          },
          option.member);
      options.push_back({option.key, rule, fmt::format("{}; default {}", option.what, standard)});
    }
    fields.push_back({group.key, named(group.key, objectRule(std::move(options))), group.what});
  });
  return fields;
}

void readMethods(const JsonValue& settings, WorldSettings& target) {
  forEachGroup([&](const auto& group) {
    const JsonValue* block = settings.find(group.key);
    if (block == nullptr) return;
    auto& values = target.*group.member;
    for (const auto& option : group.options) {
      const JsonValue* found = block->find(option.key);
      if (found == nullptr) continue;
      std::visit(
          [&](auto member) {
            auto& value = values.*member;
            using Value = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>)
              value = static_cast<Value>(found->number);
            if constexpr (std::is_same_v<Value, bool>) value = found->boolean;
            if constexpr (std::is_same_v<Value, std::string>) value = found->text;
          },
          option.member);
    }
  });
}

std::string methodText(const std::string& method, const WorldSettings& settings) {
  std::string text;
  forEachGroup([&](const auto& group) {
    if (method != group.key) return;
    for (const auto& option : group.options) {
      const std::string unit = option.range.unit.empty() ? "" : fmt::format(" {}", option.range.unit);
      text += text.empty() ? "" : ", ";
      std::visit([&](auto member) { text += fmt::format("{} {}{}", option.key, (settings.*group.member).*member, unit); },
                 option.member);
    }
  });
  return text;
}

}  // namespace cairn
