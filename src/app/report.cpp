#include "app/report.hpp"

#include <fmt/format.h>

#include "app/quantity.hpp"

namespace cairn {
namespace {

std::string metresOr(const std::optional<double>& value, const char* none) { return value ? metres(*value) : none; }

}  // namespace

namespace {

struct MethodFact {
  std::string_view key, what;
  double value;
};

// What the stepper has to say, as far as it is anything.
std::vector<MethodFact> methodFacts(const RunReport& report) {
  const MethodSummary& method = report.method;
  const bool hybrid = method.lasting > 0 || method.brief > 0;
  std::vector<MethodFact> facts;
  const auto add = [&](bool said, std::string_view key, std::string_view what, double value) {
    if (said) facts.push_back({key, what, value});
  };
  add(method.passes > 0, "passes_max", "passes at most", method.passes);
  add(method.halvings > 0, "halvings_max", "halvings at most", method.halvings);
  add(method.layers > 0, "layers_max", "layers", method.layers);
  add(method.swallowed > 0.0, "swallowed_ns", "N s swallowed by layers that were held", method.swallowed);
  add(method.events > 0, "events", "events", method.events);
  add(hybrid, "lasting_max", "lasting contacts at most", method.lasting);
  add(hybrid, "brief_max", "brief ones at most", method.brief);
  add(hybrid, "switches", "switches between the two", method.switches);
  add(method.inconsistent > 0, "inconsistent", "inconsistent contacts resolved by impulses", method.inconsistent);
  return facts;
}

}  // namespace

void writeReport(JsonOut& out, std::string_view name, const RunReport& report) {
  out.object(name, [&] {
    out.value("scene", report.scene);
    out.value("stepper", report.stepper);
    out.value("solver", report.solver);
    out.value("dt", report.dt);
    out.value("steps", report.steps);
    out.value("seconds", report.seconds);
    out.value("threads", report.threads);
    out.value("bodies", report.bodies);
    out.object("contacts", [&] {
      out.value("mean", report.contacts.mean);
      out.value("max", report.contacts.max);
    });
    out.object("time_ms", [&] {
      out.value("mean", report.timeMs.mean);
      out.value("median", report.timeMs.median);
      out.value("p95", report.timeMs.p95);
      out.value("max", report.timeMs.max);
      out.value("variance", report.timeMs.variance);
      out.object("phases", [&] {
        for (int i = 0; i < kPhaseCount; ++i) out.value(kPhaseNames[i], report.timeMs.phases[i]);
      });
    });
    out.object("penetration_m", [&] {
      out.value("max", report.penetration.max);
      out.value("end", report.penetration.end);
    });
    out.object("drift_m", [&] { out.value("max", report.driftMax); });
    out.object("joint_error_m", [&] { out.value("max", report.jointErrorMax); });
    out.object("energy_j", [&] {
      out.value("start", report.energy.start);
      out.value("end", report.energy.end);
      out.value("max_gain", report.energy.maxGain);
      out.value("max_rise", report.energy.maxRise);
      out.list("driven_by", [&] {
        for (const std::string& one : report.drivenBy) out.value({}, one);
      });
    });
    out.object("residual", [&] {
      out.value("median", report.residualMedian);
      out.value("max", report.residualMax);
    });
    if (report.impacts.count > 0) {
      out.object("impacts", [&] {
        out.value("count", report.impacts.count);
        out.value("energy_lost_j", report.impacts.energyLost);
        out.value("energy_gained_j", report.impacts.energyGained);
        out.value("micro_gained_j", static_cast<double>(report.impacts.microGained));
        out.value("restitution_factor", report.impacts.restitutionFactor);
      });
    }
    if (const auto facts = methodFacts(report); !facts.empty() || !report.method.message.empty()) {
      out.object("method", [&] {
        for (const MethodFact& fact : facts) out.value(fact.key, fact.value);
        if (!report.method.message.empty()) out.value("message", report.method.message);
      });
    }
    out.value("bodies_lost", report.bodiesLost);
    out.value("quarantined", report.quarantined);
    out.value("state_hash", fmt::format("{:016x}", report.stateHash));
  });
}

std::string reportJson(const RunReport& report) {
  JsonOut out;
  writeReport(out, {}, report);
  return out.text();
}

std::string reportTable(const RunReport& report, const Paint& paint) {
  std::string text;
  const auto row = [&](std::string_view label, const std::string& value) {
    text += fmt::format("  {}{}\n", paint.dim(fmt::format("{:<16}", label)), value);
  };
  const std::string solver = report.solver ? fmt::format(" with {}", *report.solver) : "";
  text += fmt::format("{}  {}{}, {} thread{}\n", paint.bold(report.scene), report.stepper, solver, report.threads,
                      report.threads == 1 ? "" : "s");
  row("simulated", fmt::format("{:.6g} s in {} steps of {:.6g} ms, {} bodies", report.seconds, report.steps, report.dt * 1e3,
                               report.bodies));
  if (report.steps > 0) {
    const auto& t = report.timeMs;
    row("time per step",
        fmt::format("{:.3g} ms mean, {:.3g} median, {:.3g} 95th percentile, {:.3g} most, variance {:.3g} ms2", t.mean,
                    t.median, t.p95, t.max, t.variance));
    std::string phases;
    for (int i = 0; i < kPhaseCount; ++i) {
      const double share = t.mean > 0.0 ? 100.0 * t.phases[i] / t.mean : 0.0;
      if (share >= 1.0) phases += fmt::format("{}{} {:.0f} %", phases.empty() ? "" : ", ", kPhaseNames[i], share);
    }
    if (!phases.empty()) row("spent in", phases);
    if (t.mean > 0.0) row("speed", fmt::format("{:.3g} x real time", report.dt * 1e3 / t.mean));
  }
  row("contact points", fmt::format("{:.1f} mean, {} most", report.contacts.mean, report.contacts.max));
  if (report.directIslandsMax > 0)
    row("solved as one",
        fmt::format("{} island{} at most", report.directIslandsMax, report.directIslandsMax == 1 ? "" : "s"));
  row("penetration", fmt::format("{} most, {} at the end", metres(report.penetration.max), metres(report.penetration.end)));
  row("drift", metresOr(report.driftMax, "- (nothing rested at the start)"));
  row("joint error", metresOr(report.jointErrorMax, "- (no joints)"));
  row("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end, largest gain in a step {:.3g} J",
                            report.energy.start, report.energy.end, report.energy.maxGain));
  row("", fmt::format("largest rise above its lowest {:.3g} J{}", report.energy.maxRise,
                      report.drivenBy.empty() ? "" : fmt::format(" ({})", fmt::join(report.drivenBy, ", "))));
  row("residual", report.residualMax
                      ? fmt::format("{:.3g} median, {:.3g} most", report.residualMedian.value_or(0.0), *report.residualMax)
                      : "- (nothing touched)");
  if (report.solver) {
    const long solved = report.solves.exits[static_cast<int>(Exit::Converged)];
    std::string others;
    for (int i = 0; i < kExitCount; ++i)
      if (i != static_cast<int>(Exit::Converged) && report.solves.exits[i] > 0)
        others += fmt::format(", {} {}", report.solves.exits[i], nameOf(static_cast<Exit>(i)));
    row("solved", fmt::format("{} of {} contact problems in {} iterations{}", solved, report.solves.problems,
                              report.solves.iterations, others.empty() ? "" : paint.warn(others)));
    if (!report.solves.message.empty()) row("", "first failure: " + report.solves.message);
  }
  if (report.impacts.count > 0) {
    const ImpactSummary& impacts = report.impacts;
    const double gained = impacts.energyGained - static_cast<double>(impacts.microGained);  // by the laws of impact
    row("impacts",
        fmt::format("{}, which took {:.4g} J{}", impacts.count, impacts.energyLost,
                    gained > 1e-6 * impacts.energyLost ? paint.warn(fmt::format(" and gave {:.3g} J", gained)) : ""));
    if (impacts.microGained > 0.0f)
      row("", fmt::format("micro-collisions of resting contacts gave {:.3g} J", impacts.microGained));
  }
  std::string facts;
  for (const MethodFact& fact : methodFacts(report))
    facts += fmt::format("{}{:.6g} {}", facts.empty() ? "" : ", ", fact.value, fact.what);
  if (!facts.empty()) row("method", facts);
  if (!report.method.message.empty()) row(facts.empty() ? "method" : "", paint.warn(report.method.message));
  const auto count = [&](int n) { return n == 0 ? paint.good("0") : paint.bad(std::to_string(n)); };
  row("bodies lost",
      fmt::format("{} of {}, {} quarantined", count(report.bodiesLost), report.bodies, count(report.quarantined)));
  row("state hash", fmt::format("{:016x}", report.stateHash));
  return text;
}

}  // namespace cairn
