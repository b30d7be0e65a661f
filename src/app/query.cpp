// cairn query: rays, casts, overlaps and closest points in a scene at a time.
#include <fmt/format.h>

#include <cstdlib>
#include <ostream>

#include "app/bad_input.hpp"
#include "app/command.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/json_out.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/scene_options.hpp"
#include "app/terminal.hpp"
#include "scene/scene_run.hpp"
#include "scene/suggest.hpp"

namespace cairn {
namespace {

constexpr std::string_view kShapes =
    "sphere=RADIUS, box=X,Y,Z (half extents), capsule=RADIUS,HALF_HEIGHT, cylinder=RADIUS,HALF_HEIGHT, ellipsoid=X,Y,Z";

std::vector<std::string> splitAt(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == mark) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// One question as it was typed: fields between colons.
class Question {
 public:
  Question(std::string_view option, const std::string& text, std::string_view form, std::size_t least, std::size_t most)
      : option_(option), text_(text), form_(form), fields_(splitAt(text, ':')) {
    if (fields_.size() < least || fields_.size() > most) refuse("");
  }
  bool has(std::size_t field) const { return field < fields_.size(); }
  const std::string& text(std::size_t field) const { return fields_[field]; }
  std::vector<double> numbers(const std::string& list, std::size_t count, std::string_view what) const {
    std::vector<double> found;
    for (const std::string& one : splitAt(list, ',')) {
      char* end = nullptr;
      const double number = std::strtod(one.c_str(), &end);
      if (one.empty() || *end != '\0' || !std::isfinite(number)) refuse(fmt::format("\"{}\" is no number; ", one));
      found.push_back(number);
    }
    if (found.size() != count)
      refuse(fmt::format("{} takes {} number{}, found {}; ", what, count, count == 1 ? "" : "s", found.size()));
    return found;
  }
  Vec3 vector(std::size_t field, std::string_view what) const {
    const std::vector<double> v = numbers(fields_[field], 3, what);
    return {v[0], v[1], v[2]};
  }
  double number(std::size_t field, std::string_view what) const { return numbers(fields_[field], 1, what)[0]; }
  QueryShape shape(std::size_t field) const {
    const std::string& text = fields_[field];
    const std::string name = text.substr(0, text.find('='));
    const std::string sizes = text.size() > name.size() ? text.substr(name.size() + 1) : "";
    try {
      if (name == "sphere") return Sphere{numbers(sizes, 1, name)[0]};
      if (name == "box" || name == "ellipsoid") {
        const std::vector<double> v = numbers(sizes, 3, name);
        const Vec3 size(v[0], v[1], v[2]);
        return name == "box" ? QueryShape(Box{size}) : QueryShape(Ellipsoid{size});
      }
      if (name == "capsule" || name == "cylinder") {
        const std::vector<double> v = numbers(sizes, 2, name);
        return name == "capsule" ? QueryShape(Capsule{v[0], v[1]}) : QueryShape(Cylinder{v[0], v[1]});
      }
    } catch (const std::invalid_argument& error) {
      refuse(fmt::format("{}: {}; ", name, error.what()));
    }
    throw BadInput(fmt::format("{}: found shape \"{}\"; allowed: {}", option_, text, kShapes));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw BadInput(fmt::format("{}: found \"{}\"; {}allowed: {}", option_, text_, why, form_));
  }
  // Answers that the world refuses are refused by the option.
  template <class Ask>
  auto ask(Ask&& ask) const {
    try {
      return ask();
    } catch (const std::invalid_argument& error) {
      refuse(std::string(error.what()) + "; ");
    }
  }

 private:
  std::string_view option_;
  std::string text_;
  std::string_view form_;
  std::vector<std::string> fields_;
};

constexpr std::string_view kRayForm = "X,Y,Z:DX,DY,DZ or X,Y,Z:DX,DY,DZ:LENGTH";
constexpr std::string_view kCastForm = "SHAPE:X,Y,Z:VX,VY,VZ, then :WX,WY,WZ (spin) and :SECONDS if wanted";
constexpr std::string_view kOverlapForm = "SHAPE:X,Y,Z or SHAPE:X,Y,Z:MARGIN";
constexpr std::string_view kClosestForm = "X,Y,Z, or NAME:NAME of two bodies";

std::string vectorText(const Vec3& v) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v.x(), v.y(), v.z()); }

class Answers {
 public:
  explicit Answers(const World& world) : world_(world) {}

  void rays(const std::vector<std::string>& texts, bool all) {
    for (const std::string& text : texts) {
      const Question question("--ray", text, kRayForm, 2, 3);
      Ray ray{.origin = question.vector(0, "the origin"), .direction = question.vector(1, "the direction")};
      if (question.has(2)) ray.length = question.number(2, "the length");
      std::vector<RayHit> hits = question.ask([&] { return all ? world_.castRayAll(ray) : std::vector<RayHit>{}; });
      if (!all)
        if (const std::optional<RayHit> hit = question.ask([&] { return world_.castRay(ray); })) hits.push_back(*hit);
      begin("ray", text, hits.size());
      for (const RayHit& hit : hits)
        item(hit.body, fmt::format("{:.6g} m at {}, normal {}", hit.distance, vectorText(hit.point), vectorText(hit.normal)),
             [&](CompactJson& json) {
               json.value("distance_m", hit.distance);
               vector(json, "point", hit.point);
               vector(json, "normal", hit.normal);
             });
      end();
    }
  }
  void casts(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Question question("--cast", text, kCastForm, 3, 5);
      ShapeCast cast{.shape = question.shape(0),
                     .start = {.position = question.vector(1, "the place")},
                     .velocity = question.vector(2, "the velocity")};
      if (question.has(3)) cast.spin = question.vector(3, "the spin");
      if (question.has(4)) cast.seconds = question.number(4, "the time");
      const std::optional<CastHit> hit = question.ask([&] { return world_.castShape(cast); });
      begin("cast", text, hit ? 1 : 0);
      if (hit)
        item(hit->body,
             hit->startsInOverlap
                 ? fmt::format("overlaps from the beginning, {:.6g} m deep, normal {}", hit->depth, vectorText(hit->normal))
                 : fmt::format("after {:.6g} s at {}, normal {}", hit->seconds, vectorText(hit->point),
                               vectorText(hit->normal)),
             [&](CompactJson& json) {
               json.value("seconds", hit->seconds);
               json.value("starts_in_overlap", hit->startsInOverlap);
               json.value("depth_m", hit->depth);
               vector(json, "point", hit->point);
               vector(json, "normal", hit->normal);
               vector(json, "position", hit->pose.position);
             });
      end();
    }
  }
  void overlaps(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Question question("--overlap", text, kOverlapForm, 2, 3);
      ShapeProbe probe{.shape = question.shape(0), .pose = {.position = question.vector(1, "the place")}};
      if (question.has(2)) probe.margin = question.number(2, "the margin");
      const std::vector<ClosestPoints> found = question.ask([&] { return world_.penetrations(probe); });
      begin("overlap", text, found.size());
      for (const ClosestPoints& one : found)
        item(one.bodyB,
             fmt::format("{:.6g} m {}, normal {}", std::abs(one.distance), one.distance <= 0.0 ? "deep" : "away",
                         vectorText(one.normal)),
             [&](CompactJson& json) { points(json, one); });
      end();
    }
  }
  void closest(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Question question("--closest", text, kClosestForm, 1, 2);
      std::optional<ClosestPoints> found;
      if (question.has(1)) {
        found = world_.closestPoints(body(question.text(0)), body(question.text(1)));
      } else {
        const PointProbe probe{.point = question.vector(0, "the point")};
        found = question.ask([&] { return world_.closestPoints(probe); });
      }
      begin("closest", text, found ? 1 : 0);
      if (found)
        item(found->bodyB,
             fmt::format("{:.6g} m {}, from {} to {}", std::abs(found->distance), found->distance < 0.0 ? "deep" : "away",
                         vectorText(found->pointA), vectorText(found->pointB)),
             [&](CompactJson& json) { points(json, *found); });
      end();
    }
  }

  std::string lines() const { return lines_; }
  std::string json(double time) {
    JsonOut out;
    out.object("", [&] {
      out.value("time_s", time);
      out.raw("answers", "[" + answers_ + "]");
    });
    return out.text();
  }

 private:
  BodyId body(const std::string& name) const {
    if (const std::optional<BodyId> found = world_.findBody(name)) return *found;
    std::vector<std::string_view> names;
    for (const BodyId one : world_.bodies()) names.push_back(world_.name(one));
    throw BadInput(fmt::format("--closest: there is no body \"{}\"{}", name, suggestion(name, names)));
  }
  void begin(std::string_view kind, const std::string& text, std::size_t count) {
    lines_ += fmt::format("{} {}{}\n", kind, text, count == 0 ? ": nothing" : "");
    kind_ = kind;
    text_ = text;
    items_.clear();
  }
  template <class Fill>
  void item(BodyId found, const std::string& line, Fill fill) {
    lines_ += fmt::format("  {:<16} {}\n", world_.name(found), line);
    CompactJson json;
    json.object("", [&] {
      json.value("body", world_.name(found));
      fill(json);
    });
    items_ += (items_.empty() ? "" : ",") + json.text();
  }
  void end() {
    CompactJson one;
    one.object("", [&] {
      one.value("question", kind_);
      one.value("asked", text_);
      one.raw("found", "[" + items_ + "]");
    });
    answers_ += (answers_.empty() ? "" : ",") + one.text();
  }
  static void vector(CompactJson& json, std::string_view name, const Vec3& v) {
    json.list(name, [&] {
      for (int k = 0; k < 3; ++k) json.value("", v[k]);
    });
  }
  static void points(CompactJson& json, const ClosestPoints& one) {
    json.value("distance_m", one.distance);
    vector(json, "point_a", one.pointA);
    vector(json, "point_b", one.pointB);
    vector(json, "normal", one.normal);
  }

  const World& world_;
  std::string lines_, answers_, items_, text_;
  std::string_view kind_;
};

}  // namespace

int commandQuery(const QueryArguments& arguments, std::ostream& out, std::ostream& err) {
  if (arguments.ray.empty() && arguments.cast.empty() && arguments.overlap.empty() && arguments.closest.empty())
    throw BadInput("query: no question; allowed: --ray, --cast, --overlap, --closest, each as often as wanted");
  SceneModel model = openModel(arguments);
  double time = 0.0;
  if (arguments.at) time = readNumberOption("--at", *arguments.at, {.low = 0.0, .high = 1e6, .unit = "s"});
  SceneRun run(std::move(model));
  const InterruptGuard interrupt;
  const std::unique_ptr<WholeFile> file =
      arguments.report ? std::make_unique<WholeFile>("--report", *arguments.report) : nullptr;
  run.world().setStopFlag(InterruptGuard::flag());
  run.admit();
  const long steps = std::lround(time / run.model().dt);
  for (long i = 0; i < steps && interrupt.signal() == 0; ++i) {
    const StepReport step = run.step();
    if (step.status == StepStatus::Stopped) break;
    if (step.status == StepStatus::Refused) throw BadInput(std::string(step.refusal()));
    if (step.status == StepStatus::Ok) continue;
    err << fmt::format("cairn: at {:.6g} s {}\n", run.world().time(), step.refusal());
    return kExitInternal;
  }
  if (interrupt.signal() != 0) {
    err << fmt::format("cairn: interrupted at {:.6g} s of {:.6g} s\n", run.world().time(), time);
    return interrupt.exitCode();
  }
  run.admit();
  Answers answers(run.world());
  answers.rays(arguments.ray, arguments.all);
  answers.casts(arguments.cast);
  answers.overlaps(arguments.overlap);
  answers.closest(arguments.closest);
  if (file) file->commit(answers.json(run.world().time()));
  if (!arguments.quiet) {
    const Paint paint(wantsColour(out));
    out << paint.bold(run.model().name) << fmt::format("  at {:.6g} s\n", run.world().time()) << answers.lines();
  }
  return kExitOk;
}

}  // namespace cairn
