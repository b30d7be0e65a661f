#include "export/recorded_run.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "export/recording_format.hpp"
#include "hdf5/checked_file.hpp"

namespace cairn {
namespace {

namespace names = recording;
using hdf5::CheckedGroup;
using Extents = CheckedGroup::Shape;

constexpr std::size_t kBlockBytes = 4 << 20;  // of states, in memory at once
constexpr long kMostBlockMoments = 256;
constexpr double kMostMetres = 1e12;  // as far as a world may reach

constexpr const char* kSingles[] = {names::kStep,        names::kTime,         names::kKinetic,    names::kPotential,
                                    names::kPenetration, names::kResidual,     names::kJointError, names::kMs,
                                    names::kIterations,  names::kContactCount, names::kIslands,    names::kAwake};

std::map<std::string, Extents> widths(hsize_t bodies) {
  std::map<std::string, Extents> all{{names::kPositions, {bodies, 3}},
                                   {names::kRotations, {bodies, 4}},
                                   {names::kVelocities, {bodies, 3}},
                                   {names::kSpins, {bodies, 3}},
                                   {names::kPhaseMs, {kPhaseCount}}};
  for (const char* name : kSingles) all[name] = {};
  return all;
}

int toCount(double value) { return value > 0.0 ? static_cast<int>(std::min(value, 2e9)) : 0; }

}  // namespace

struct RecordedRunFile {
  explicit RecordedRunFile(const std::string& path) : file(path), steps(open(file.root())) {}

  static CheckedGroup open(const CheckedGroup& root) {
    const std::string format = root.textAttribute(names::kFormatAttribute).value_or("");
    if (format != names::kFormat)
      root.refuse(std::string("@") + names::kFormatAttribute, format.empty() ? "nothing" : quotedWord(format),
                  quotedWord(names::kFormat));
    return root.group(names::kSteps);
  }
  // Everything is written in the same batches; a run that was killed may have written some of the last one.
  long rows(hsize_t bodies, bool mustAgree) const {
    hsize_t least = std::numeric_limits<hsize_t>::max();
    for (const auto& [name, width] : widths(bodies)) {
      const Extents shape = steps.shape(name);
      if (shape.size() != width.size() + 1 || !std::equal(width.begin(), width.end(), shape.begin() + 1))
        steps.refuse(name, "the wrong number of columns",
                     fmt::format("as many as there are bodies in the scene ({})", bodies));
      if (mustAgree && least != std::numeric_limits<hsize_t>::max() && shape[0] != least)
        steps.refuse(name, fmt::format("{} rows", shape[0]), fmt::format("{}, as the others have", least));
      least = std::min(least, shape[0]);
    }
    return static_cast<long>(std::min<hsize_t>(least, std::numeric_limits<long>::max()));
  }

  hdf5::Silence silence;
  hdf5::CheckedFile file;
  CheckedGroup steps;
  std::map<std::string, std::vector<double>> block;  // some rows of everything
};

RecordedRun::RecordedRun(const std::string& path)
    : file_(std::make_unique<RecordedRunFile>(path)), lastTime_(-std::numeric_limits<double>::infinity()) {
  const CheckedGroup& root = file_->file.root();
  try {
    scene_ = readDescription(root.bytes(names::kScene));
  } catch (const DescriptionError& error) {
    root.refuse(names::kScene, fmt::format("a wrong description ({})", error.what()),
                "that of a scene (docs/lab-protocol.md)");
  }
  report_ = root.bytes(names::kReport);
  rapidjson::Document report;
  if (!report_.empty() && report.Parse<rapidjson::kParseIterativeFlag>(report_.data(), report_.size()).HasParseError())
    root.refuse(names::kReport, "no JSON", "the report of a run");
  const double dt = root.realAttribute("dt").value_or(0.0), every = root.realAttribute("every").value_or(0.0);
  interval_ = dt * every;
  if (!(interval_ > 0.0 && interval_ < 1e15))
    root.refuse("@dt, @every", fmt::format("{} and {}", dt, every), "numbers above 0");
  moments_ = file_->rows(scene_.bodies.size(), !report_.empty());
  if (moments_ == 0) file_->steps.refuse(names::kTime, "no rows", "one at least");
}

RecordedRun::~RecordedRun() = default;

void RecordedRun::readBlock() {
  const std::size_t rowBytes = (13 * scene_.bodies.size() + 1) * sizeof(double);
  const long most = std::clamp(static_cast<long>(kBlockBytes / rowBytes), 1L, kMostBlockMoments);
  const long count = std::min(most, moments_ - next_);
  blockStart_ = next_;
  for (const auto& [name, width] : widths(scene_.bodies.size()))
    file_->block[name] = file_->steps.realRows(name, static_cast<hsize_t>(next_), static_cast<hsize_t>(count), width);
}

bool RecordedRun::next(Moment& moment) {
  if (next_ >= moments_) return false;
  if (next_ == 0 || static_cast<std::size_t>(next_ - blockStart_) >= file_->block[names::kTime].size()) readBlock();
  const auto row = static_cast<std::size_t>(next_ - blockStart_);
  const auto single = [&](const char* name) { return file_->block[name][row]; };
  const auto refuse = [&](const char* name, const std::string& found, const std::string& allowed) {
    file_->steps.refuse(fmt::format("{}[{}]", name, next_), found, allowed);
  };
  moment.time = single(names::kTime);
  if (!(moment.time > lastTime_ && std::abs(moment.time) < 1e15))
    refuse(names::kTime, fmt::format("{}", moment.time), "a time after the one before");
  lastTime_ = moment.time;
  const double step = single(names::kStep);
  if (!(step >= 0.0 && step <= 1e15)) refuse(names::kStep, fmt::format("{}", step), "a whole number, at least 0");
  moment.step = static_cast<long>(step);

  const std::size_t count = scene_.bodies.size();
  const double* p = file_->block[names::kPositions].data() + 3 * count * row;
  const double* q = file_->block[names::kRotations].data() + 4 * count * row;
  const double* v = file_->block[names::kVelocities].data() + 3 * count * row;
  const double* w = file_->block[names::kSpins].data() + 3 * count * row;
  moment.bodies.resize(count);
  for (std::size_t i = 0; i < count; ++i, p += 3, q += 4, v += 3, w += 3) {
    BodyState& state = moment.bodies[i];
    if (std::isnan(p[0]) && std::isnan(p[1]) && std::isnan(p[2])) {
      state = Moment::absent();
      continue;
    }
    state.center = Vec3(p[0], p[1], p[2]);
    state.pose.rotation = Quat(q[0], q[1], q[2], q[3]);
    state.linearVelocity = Vec3(v[0], v[1], v[2]);
    state.angularVelocity = Vec3(w[0], w[1], w[2]);
    if (!state.center.allFinite() || state.center.cwiseAbs().maxCoeff() > kMostMetres)
      refuse(names::kPositions, fmt::format("a body at {:g}, {:g}, {:g} m", p[0], p[1], p[2]),
             fmt::format("at most {:g} m either way, or NaN for one that is not there", kMostMetres));
    if (!(std::abs(state.pose.rotation.norm() - 1.0) < 1e-3))
      refuse(names::kRotations, fmt::format("{:g}, {:g}, {:g}, {:g}", q[0], q[1], q[2], q[3]), "a unit quaternion");
    state.pose.position = state.center - state.pose.rotation * scene_.bodies[i].center;
  }
  MomentFacts& facts = moment.facts;
  facts = {};
  facts.kinetic = single(names::kKinetic);
  facts.potential = single(names::kPotential);
  facts.penetration = single(names::kPenetration);
  facts.residual = single(names::kResidual);
  facts.jointError = single(names::kJointError);
  facts.ms = single(names::kMs);
  facts.iterations = toCount(single(names::kIterations));
  facts.contacts = toCount(single(names::kContactCount));
  facts.islands = toCount(single(names::kIslands));
  facts.awake = toCount(single(names::kAwake));
  std::copy_n(file_->block[names::kPhaseMs].begin() + static_cast<std::ptrdiff_t>(row * kPhaseCount), kPhaseCount,
              facts.phaseMs.begin());
  moment.contacts.clear();
  ++next_;
  return true;
}

}  // namespace cairn
