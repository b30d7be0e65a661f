#include "export/hdf5_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cairn/world.hpp"
#include "export/hdf5_table.hpp"
#include "export/recording_format.hpp"

namespace cairn {
namespace {

namespace names = recording;

constexpr hsize_t kChunkBytes = 1 << 20;  // of positions: what is compressed, written and read at once
constexpr hsize_t kMostChunkBodies = 1 << 14;
constexpr hsize_t kMostChunkSteps = 64;  // and so the most that a killed run loses
constexpr hsize_t kChunkContacts = 4096;
constexpr hsize_t kChunkText = 1 << 16;  // bytes

hdf5::TypeHandle stringType(std::size_t length) {
  hdf5::TypeHandle type(must(H5Tcopy(H5T_C_S1)));
  must(H5Tset_size(type, std::max<std::size_t>(length, 1)));
  must(H5Tset_strpad(type, H5T_STR_NULLPAD));
  must(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void putAttribute(hid_t object, const char* name, const std::string& text) {
  const hdf5::TypeHandle type = stringType(text.size());
  const hdf5::SpaceHandle space(must(H5Screate(H5S_SCALAR)));
  const hdf5::AttributeHandle attribute(must(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)));
  must(H5Awrite(attribute, type, text.empty() ? "" : text.data()));
}

void putNumbers(hid_t object, const char* name, const std::vector<double>& values) {
  const hsize_t count = values.size();
  const hdf5::SpaceHandle space(must(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr)));
  const hdf5::AttributeHandle attribute(must(H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT)));
  must(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()));
}

void putText(hid_t parent, const char* name, const std::string& text) {
  Hdf5Table table(parent, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, {}, kChunkText, 1);
  table.add(text.data(), text.size());
  table.write(true);
}

void putWords(hid_t parent, const char* name, const std::vector<std::string>& words) {
  std::size_t longest = 1;
  for (const std::string& word : words) longest = std::max(longest, word.size());
  const hdf5::TypeHandle type = stringType(longest);
  Hdf5Table table(parent, name, type, type, {}, std::max<hsize_t>(1, kChunkText / longest), 1);
  for (const std::string& word : words) table.add((word + std::string(longest - word.size(), '\0')).data());
  table.write(true);
}

std::string_view nameOf(BodyKind kind) {
  return kind == BodyKind::Static ? "static" : kind == BodyKind::Kinematic ? "kinematic" : "dynamic";
}

hdf5::GroupHandle newGroup(hid_t parent, const char* name) {
  return hdf5::GroupHandle(must(H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
}

hdf5::FileHandle newFile(const std::string& path) {
  // From HDF5 1.10 on all of its bookkeeping carries checksums, and files can be read while they are written.
  const hdf5::ListHandle access(must(H5Pcreate(H5P_FILE_ACCESS)));
  must(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  return hdf5::FileHandle(must(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)));
}

}  // namespace

struct Hdf5RecordingFile {
  Hdf5RecordingFile(const std::string& path, const SceneModel& model, const SceneDescription& scene, int every);

  void add(const Moment& moment);
  void write(bool all);

  hdf5::Silence silence;  // until all that follows is closed
  hsize_t bodyCount, chunkSteps, chunkBodies;
  hdf5::FileHandle file;
  hdf5::GroupHandle steps, contacts;

  Hdf5Table real(const char* name, const std::vector<hsize_t>& width = {}) const {
    return {steps, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, width, chunkSteps, chunkBodies};
  }
  Hdf5Table whole(const char* name) const { return {steps, name, H5T_STD_I32LE, H5T_NATIVE_INT, {}, chunkSteps, 1}; }
  Hdf5Table contactReal(const char* name, hid_t type, const std::vector<hsize_t>& width) const {
    return {contacts, name, type, H5T_NATIVE_DOUBLE, width, kChunkContacts, 3};
  }
  Hdf5Table contactWhole(const char* name) const {
    return {contacts, name, H5T_STD_I32LE, H5T_NATIVE_INT, {}, kChunkContacts, 1};
  }

  Hdf5Table report{file, names::kReport, H5T_STD_U8LE, H5T_NATIVE_UINT8, {}, kChunkText, 1};
  Hdf5Table step{steps, names::kStep, H5T_STD_I64LE, H5T_NATIVE_LONG, {}, chunkSteps, 1};
  Hdf5Table time = real(names::kTime);
  Hdf5Table positions = real(names::kPositions, {bodyCount, 3});
  Hdf5Table rotations = real(names::kRotations, {bodyCount, 4});
  Hdf5Table velocities = real(names::kVelocities, {bodyCount, 3});
  Hdf5Table spins = real(names::kSpins, {bodyCount, 3});
  Hdf5Table kinetic = real(names::kKinetic), potential = real(names::kPotential);
  Hdf5Table penetration = real(names::kPenetration), residual = real(names::kResidual);
  Hdf5Table jointError = real(names::kJointError), ms = real(names::kMs), phaseMs = real(names::kPhaseMs, {kPhaseCount});
  Hdf5Table iterations = whole(names::kIterations), contactCount = whole(names::kContactCount);
  Hdf5Table islands = whole(names::kIslands), awake = whole(names::kAwake);
  Hdf5Table stateHash{steps, names::kStateHash, H5T_STD_U64LE, H5T_NATIVE_UINT64, {}, chunkSteps, 1};
  Hdf5Table contactsEnd{steps, names::kContactsEnd, H5T_STD_I64LE, H5T_NATIVE_LONG, {}, chunkSteps, 1};

  // Single precision is as much as these are good for; not for points, which may be far from the origin.
  Hdf5Table bodyA = contactWhole(names::kBodyA), bodyB = contactWhole(names::kBodyB);
  Hdf5Table point = contactReal(names::kPoint, H5T_IEEE_F64LE, {3});
  Hdf5Table normal = contactReal(names::kNormal, H5T_IEEE_F32LE, {3});
  Hdf5Table impulse = contactReal(names::kImpulse, H5T_IEEE_F32LE, {3});
  Hdf5Table gap = contactReal(names::kGap, H5T_IEEE_F32LE, {});
  Hdf5Table friction = contactReal(names::kFriction, H5T_IEEE_F32LE, {});

  long contactsSoFar = 0;
  std::vector<double> row[4];
};

namespace {

void writeHead(hid_t file, const SceneModel& model, const SceneDescription& scene, int every) {
  const WorldSettings& settings = model.settings;
  putAttribute(file, names::kFormatAttribute, std::string(names::kFormat));
  putAttribute(file, "scene_name", model.name);
  putAttribute(file, "title", model.title);
  putAttribute(file, "stepper", settings.stepper);
  putAttribute(file, "solver", stepperTakesSolver(settings.stepper) ? settings.solver.name : std::string());
  putNumbers(file, "solver_tolerance", {settings.solver.tolerance});
  putNumbers(file, "solver_iterations", {1.0 * settings.solver.iterations});
  putAttribute(file, "friction_law", settings.friction.law);
  putNumbers(file, "gravity", {settings.gravity.x(), settings.gravity.y(), settings.gravity.z()});
  putNumbers(file, "dt", {model.dt});
  putNumbers(file, "every", {1.0 * every});
  putAttribute(file, "phases", fmt::format("{}", fmt::join(kPhaseNames, ",")));
  for (const SceneParameter& parameter : model.parameters)
    putNumbers(file, ("parameter." + parameter.name).c_str(), {parameter.value});
  putText(file, names::kScene, scene.json);

  std::vector<std::string> bodyNames, kinds;
  const hdf5::GroupHandle bodies = newGroup(file, names::kBodies);
  Hdf5Table mass(bodies, names::kMass, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, kChunkContacts, 1);
  Hdf5Table center(bodies, names::kCenter, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, kChunkContacts, 3);
  for (const DescribedBody& body : scene.bodies) {
    bodyNames.push_back(body.name);
    kinds.emplace_back(nameOf(body.kind));
    mass.add(&body.mass);
    center.add(body.center.data());
  }
  mass.write(true);
  center.write(true);
  putWords(bodies, names::kName, bodyNames);
  putWords(bodies, names::kKind, kinds);
}

}  // namespace

Hdf5RecordingFile::Hdf5RecordingFile(const std::string& path, const SceneModel& model, const SceneDescription& scene,
                                     int every)
    : bodyCount(scene.bodies.size()),
      chunkSteps(
          std::clamp<hsize_t>(kChunkBytes / (24 * std::clamp<hsize_t>(bodyCount, 1, kMostChunkBodies)), 1, kMostChunkSteps)),
      chunkBodies(std::max<hsize_t>(std::min(bodyCount, kMostChunkBodies), kPhaseCount)),
      file(newFile(path)),
      steps(newGroup(file, names::kSteps)),
      contacts(newGroup(file, names::kContacts)) {
  writeHead(file, model, scene, every);
  must(H5Fstart_swmr_write(file));
}

void Hdf5RecordingFile::add(const Moment& moment) {
  for (auto& values : row) values.clear();
  for (const BodyState& state : moment.bodies) {
    const Quat& q = state.pose.rotation;
    row[0].insert(row[0].end(), state.center.begin(), state.center.end());
    row[1].insert(row[1].end(), {q.w(), q.x(), q.y(), q.z()});
    row[2].insert(row[2].end(), state.linearVelocity.begin(), state.linearVelocity.end());
    row[3].insert(row[3].end(), state.angularVelocity.begin(), state.angularVelocity.end());
  }
  for (const MomentContact& one : moment.contacts) {
    bodyA.add(&one.bodyA);
    bodyB.add(&one.bodyB);
    point.add(one.point.data());
    normal.add(one.normal.data());
    impulse.add(one.impulse.data());
    gap.add(&one.gap);
    friction.add(&one.friction);
  }
  contactsSoFar += static_cast<long>(moment.contacts.size());
  const MomentFacts& facts = moment.facts;
  step.add(&moment.step);
  time.add(&moment.time);
  positions.add(row[0].data());
  rotations.add(row[1].data());
  velocities.add(row[2].data());
  spins.add(row[3].data());
  kinetic.add(&facts.kinetic);
  potential.add(&facts.potential);
  penetration.add(&facts.penetration);
  residual.add(&facts.residual);
  jointError.add(&facts.jointError);
  ms.add(&facts.ms);
  phaseMs.add(facts.phaseMs.data());
  iterations.add(&facts.iterations);
  contactCount.add(&facts.contacts);
  islands.add(&facts.islands);
  awake.add(&facts.awake);
  stateHash.add(&facts.stateHash);
  contactsEnd.add(&contactsSoFar);
  if (step.pendingRows() >= chunkSteps) write(false);
}

void Hdf5RecordingFile::write(bool all) {
  for (Hdf5Table* table : {&bodyA, &bodyB, &point, &normal, &impulse, &gap, &friction}) table->write(all);
  for (Hdf5Table* table :
       {&step, &time, &positions, &rotations, &velocities, &spins, &kinetic, &potential, &penetration, &residual,
        &jointError, &ms, &phaseMs, &iterations, &contactCount, &islands, &awake, &stateHash, &contactsEnd})
    table->write(all);
}

template <class Work>
void Hdf5Recording::orFail(Work work) {
  errno = 0;
  try {
    work();
  } catch (const Hdf5Failure&) {
    const std::string why = errno != 0 ? std::strerror(errno) : "HDF5 refused";
    file_.reset();
    if (isOurs_) std::remove(path_.c_str());  // half a recording is none
    throw ExportFailure(fmt::format("{}: writing failed: {}", path_, why));
  }
}

Hdf5Recording::Hdf5Recording(std::string path, const SceneModel& model, const SceneDescription& scene, int every)
    : path_(std::move(path)) {
  std::error_code error;
  isOurs_ = !std::filesystem::exists(path_, error);
  orFail([&] { file_ = std::make_unique<Hdf5RecordingFile>(path_, model, scene, every); });
  isOurs_ = true;
}

Hdf5Recording::~Hdf5Recording() = default;

void Hdf5Recording::record(const Moment& moment) {
  orFail([&] { file_->add(moment); });
}

void Hdf5Recording::finish(const std::string& report) {
  orFail([&] {
    file_->write(true);
    file_->report.add(report.data(), report.size());
    file_->report.write(true);
    must(H5Fflush(file_->file, H5F_SCOPE_GLOBAL));
  });
  file_.reset();
}

}  // namespace cairn
