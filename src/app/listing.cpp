// cairn list, info, check and schema: everything that simulates nothing.
#include <fmt/format.h>

#include <numbers>
#include <ostream>

#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/options.hpp"
#include "app/terminal.hpp"
#include "scene/format.hpp"
#include "scene/gallery.hpp"
#include "scene/option_fields.hpp"
#include "scene/scene_run.hpp"

namespace cairn {
namespace {

std::string_view shapeName(const Geometry& geometry) {
  constexpr std::array<std::string_view, 13> names{"plane", "sphere", "box",     "capsule",  "cylinder", "ellipsoid",   "hull",
                                                   "cone",  "spheres", "compound", "mesh",     "height field", "distance field"};
  static_assert(std::variant_size_v<Geometry> == names.size());
  return names[geometry.index()];
}

template <class Key>
std::string counted(const std::map<Key, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "none" : text;
}

std::string parameterLine(const SceneParameter& parameter) {
  const Range range{.low = parameter.least, .high = parameter.most, .unit = parameter.unit};
  const std::string allowed = range.describe();
  return fmt::format("{} = {:g}{}{}{}", parameter.name, parameter.value, parameter.what.empty() ? "" : ": ", parameter.what,
                     allowed.empty() ? "" : fmt::format(" ({})", allowed));
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

int dynamicCount(const SceneModel& model) {
  return static_cast<int>(std::count_if(model.bodies.begin(), model.bodies.end(),
                                        [](const SceneBody& body) { return body.desc.kind == BodyKind::Dynamic; }));
}

}  // namespace

int commandList(std::ostream& out) {
  const Paint paint(wantsColour(out));
  out << paint.dim(fmt::format("{:<16} {:>6} {:>7}  {}", "scene", "bodies", "seconds", "title")) << "\n";
  for (const std::string_view name : galleryNames()) {
    const SceneModel model = openScene(std::string(name));
    out << fmt::format("{}{:>7} {:>7g}  {}\n", paint.bold(fmt::format("{:<16}", name)), dynamicCount(model), model.seconds,
                       model.title);
    if (model.parameters.empty()) continue;
    std::string parameters;
    for (const SceneParameter& one : model.parameters) parameters += fmt::format(" --set {}={:g}", one.name, one.value);
    out << fmt::format("{:<33}{}\n", "", paint.dim(parameters.substr(1)));
  }
  out << "\nRun one with `cairn run NAME`, read about one with `cairn info NAME`.\n";
  return kExitOk;
}

int commandInfo(const std::string& scene, const std::vector<std::string>& set, std::ostream& out) {
  std::vector<Override> overrides;
  for (const std::string& text : set) overrides.push_back(readSetOption(text));
  const SceneModel model = openScene(scene, overrides);
  checkModel(model);
  // The world is asked for the masses: it alone knows what it makes of densities.
  SceneModel all = model;
  for (SceneBody& body : all.bodies) body.appear = 0.0;
  World world(all.settings);
  const std::vector<BodyId> ids = instantiate(all, world);

  const Paint paint(wantsColour(out));
  const auto row = [&](std::string_view label, const std::string& value) {
    out << fmt::format("  {}{}\n", paint.dim(fmt::format("{:<16}", label)), value);
  };
  out << paint.bold(model.name) << (model.title.empty() ? "" : "  " + model.title) << "\n";
  out << wrapped(model.description, 100, "  ");

  std::map<std::string_view, int> kinds, shapes, joints;
  std::vector<double> masses;
  constexpr std::array<std::string_view, 3> kindNames{"static", "kinematic", "dynamic"};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyDesc& desc = model.bodies[i].desc;
    ++kinds[kindNames[static_cast<int>(desc.kind)]];
    for (const ShapeDesc& shape : desc.shapes) ++shapes[shapeName(shape.geometry)];
    if (desc.kind == BodyKind::Dynamic) masses.push_back(world.massProperties(ids[i])->mass);
  }
  for (const SceneJoint& joint : model.joints) ++joints[jointKindName(joint.desc.kind)];
  row("bodies", counted(kinds));
  row("shapes", counted(shapes));
  row("joints", counted(joints));
  constexpr int kMostListed = 10;
  int later = 0;
  for (const SceneBody& body : model.bodies) {
    if (body.appear <= 0.0) continue;
    if (++later <= kMostListed) row("appears", fmt::format("{} at {:g} s", body.desc.name, body.appear));
  }
  if (later > kMostListed) row("", fmt::format("and {} more", later - kMostListed));
  std::sort(masses.begin(), masses.end());
  const double typical = masses.empty() ? 0.0 : masses[masses.size() / 2];
  if (!masses.empty()) {
    double total = 0.0;
    for (const double mass : masses) total += mass;
    row("masses", fmt::format("{:.6g} kg to {:.6g} kg, median {:.6g} kg, {:.6g} kg in all", masses.front(), masses.back(),
                              typical, total));
  }
  for (const auto& [name, material] : model.materials) {
    std::string text = fmt::format("{}: friction {:g}, restitution {:g}", name, material.friction, material.restitution);
    if (material.stiffness)
      text += fmt::format(", {:g} N/m, {:g} N s/m", *material.stiffness, material.damping.value_or(0.0));
    row("material", text);
  }
  for (const SceneParameter& parameter : model.parameters) row("parameter", parameterLine(parameter));

  const WorldSettings& s = model.settings;
  row("time", fmt::format("{:g} s in steps of {:.6g} ms, stepper {}, {} thread{}", model.seconds, model.dt * 1e3, s.stepper,
                          s.threads, s.threads == 1 ? "" : "s"));
  row("gravity", fmt::format("[{:g}, {:g}, {:g}] m/s2", s.gravity.x(), s.gravity.y(), s.gravity.z()));
  if (s.stepper == "soft") {
    const double substepRate = s.soft.substeps / model.dt;  // Hz
    const double frequency = std::min(s.soft.contactFrequency, substepRate * 3.0 / 16.0);
    row("contacts",
        fmt::format("{:.4g} Hz ({:g} asked for, at most 3/16 of {:g} substeps/s), damping ratio {:g}, push out at most {:g} "
                    "m/s; {} to {} substeps",
                    frequency, s.soft.contactFrequency, substepRate, s.soft.contactDampingRatio, s.soft.pushOutSpeed,
                    std::min(s.soft.leastSubsteps, s.soft.substeps), s.soft.substeps));
    if (typical > 0.0) {
      const double angular = 2.0 * std::numbers::pi * frequency;
      row("", fmt::format("which is {:.3g} N/m for a mass of {:.6g} kg, where a material does not state its stiffness",
                          typical * angular * angular, typical));
    }
    row("joints hold at",
        fmt::format("{:.4g} Hz ({:g} asked for), damping ratio {:g}", std::min(s.soft.jointFrequency, substepRate / 4.0),
                    s.soft.jointFrequency, s.soft.jointDampingRatio));
  } else if (const std::string options = optionsText(s.stepper, s); !options.empty()) {
    row("stepper", fmt::format("{}: {}", s.stepper, options));
  }
  if (stepperTakesSolver(s.stepper)) {
    row("solver", fmt::format("{} to {:g}, at most {} iterations; friction {}, {} facets", s.solver.name, s.solver.tolerance,
                              s.solver.iterations, s.friction.law, s.friction.facets));
  }
  row("limits", fmt::format("contacts from {:g} m, bounce from {:g} m/s, quarantine beyond {:g} m or {:g} m/s",
                            s.speculativeDistance, s.restitutionSpeed, s.maximumCoordinate, s.maximumSpeed));
  row("sleep", s.sleep.enabled ? fmt::format("below {:g} m/s and {:g} rad/s for {:g} s", s.sleep.linearSpeed,
                                             s.sleep.angularSpeed, s.sleep.seconds)
                               : "off");
  return kExitOk;
}

int commandCheck(const std::vector<std::string>& files, std::ostream& out, std::ostream& err) {
  bool good = true;
  for (const std::string& file : files) {
    try {
      const SceneModel model = openScene(file);
      checkModel(model);
      out << fmt::format("{}: good: {} bodies, {} joints, {:g} s\n", file, model.bodies.size(), model.joints.size(),
                         model.seconds);
    } catch (const SceneError& error) {
      err << error.what() << "\n";
      good = false;
    }
  }
  return good ? kExitOk : kExitBadInput;
}

int commandSchema(bool reference, std::ostream& out) {
  out << (reference ? sceneReference() : sceneSchema());
  return kExitOk;
}

}  // namespace cairn
