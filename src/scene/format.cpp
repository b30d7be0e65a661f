#include "scene/format.hpp"

#include <fmt/format.h>

#include "cairn/world.hpp"
#include "scene/option_fields.hpp"
#include "scene/scene_model.hpp"

namespace cairn {
namespace {

// Limits that keep arithmetic sane; the World has its own, tighter ones for what it can simulate.
constexpr double kFarthest = 1e12;        // m
constexpr double kLargestSize = 1e6;      // m
constexpr double kSmallestRadius = 1e-6;  // m
constexpr double kFastest = 1e6;          // m/s or rad/s
constexpr double kLargestMass = 1e15;     // kg

// Limits that keep a small file from asking for endless work.
constexpr std::size_t kMostHullPoints = 10000;
constexpr std::size_t kMostShapes = 10000;
constexpr std::size_t kMostChildren = 100000;    // of a compound or sphere set
constexpr std::size_t kMostTriangles = 2000000;  // of a mesh that is written out
constexpr double kMostSamples = 8192;            // of a height field, along a side
constexpr std::size_t kMostPatterns = 8;

RulePtr radius() { return numberRule({.low = kSmallestRadius, .high = kLargestSize, .unit = "m"}); }
RulePtr length() { return numberRule({.low = 2 * kSmallestRadius, .high = kLargestSize, .unit = "m"}); }
RulePtr positive(double most, const char* unit) {
  return numberRule({.low = 0, .high = most, .lowOpen = true, .unit = unit});
}
RulePtr nonNegative(double most, const char* unit) { return numberRule({.low = 0, .high = most, .unit = unit}); }
RulePtr degrees() { return numberRule({.low = -36000, .high = 36000, .unit = "degrees"}); }
RulePtr vector(double most, const char* unit) { return numbersRule(3, {.low = -most, .high = most, .unit = unit}); }
RulePtr direction() { return numbersRule(3, {.low = -kFarthest, .high = kFarthest}); }

RulePtr point() {
  static const RulePtr rule = named("point", vector(kFarthest, "m"));
  return rule;
}

RulePtr rotation() {
  static const RulePtr rule = named(
      "rotation", eitherRule({numbersRule(4, {.low = -kFarthest, .high = kFarthest}),
                              objectRule({{"axis", direction(), "axis to turn about; need not be a unit vector"},
                                          {"angle_deg", degrees(), "angle about the axis"},
                                          {"euler_deg", numbersRule(3, {.low = -36000, .high = 36000, .unit = "degrees"}),
                                           "roll, pitch and yaw: turned about the fixed x axis, then y, then z"}})}));
  return rule;
}

RulePtr materialObject() {
  static const RulePtr rule =
      named("material",
            objectRule(
                {{"friction", nonNegative(1e3, ""), "Coulomb coefficient; a pair takes the geometric mean; default 0.5"},
                 {"static_friction", nonNegative(1e3, ""),
                  "of contacts that stick, at least as large as friction; default: the same"},
                 {"cross_friction", nonNegative(1e3, ""), "across friction_axis; default: the same in all directions"},
                 {"friction_axis", direction(),
                  "in the shape's frame: the direction along which friction holds; default [1, 0, 0]"},
                 {"patch_radius", nonNegative(1e3, "m"),
                  "of a round patch whose friction also resists spin (Contensou's law); default 0: none"},
                 {"rolling_resistance", nonNegative(1e3, "m"), "torque against rolling over the normal force; default 0"},
                 {"rolling_force", nonNegative(1e3, ""),
                  "force against the centre's velocity over the normal force, while the contact rolls (GALILEO); default 0"},
                 {"spinning_resistance", nonNegative(1e3, "m"), "torque against spinning over the normal force; default 0"},
                 {"restitution", nonNegative(1, ""), "0 (plastic) to 1 (elastic); a pair takes the larger; default 0"},
                 {"impact", choiceRule({"newton", "poisson", "stronge", "chatterjee_ruina"}),
                  "what restitution means, see docs/laws.md; default \"newton\""},
                 {"tangential_restitution", numberRule({.low = -1, .high = 1}), "of chatterjee_ruina; default 0"},
                 {"stiffness", numberRule({.low = 1e-3, .high = 1e15, .unit = "N/m"}),
                  "of a whole contact patch; default: as stiff as the step can resolve"},
                 {"damping", nonNegative(1e15, "N s/m"), "of a whole contact patch; given together with stiffness"},
                 {"density", numberRule({.low = 1e-6, .high = 1e9, .unit = "kg/m^3"}),
                  "of shapes made of it that give no density; default 1000"}}));
  return rule;
}

RulePtr material() { return eitherRule({textRule(200), materialObject()}); }

RulePtr groups() {
  static const RulePtr rule = named("groups", eitherRule({integerRule(1, 32), listRule(integerRule(1, 32))}));
  return rule;
}

// Convex shapes, which may stand alone or be children of a compound.
std::vector<Alternative> convexShapes() {
  const Field rounding{"rounding", nonNegative(kLargestSize, "m"), ""};
  const auto rounded = [&](const char* what) {
    Field field = rounding;
    field.what = what;
    return field;
  };
  return {{"sphere", "a ball", {{"radius", radius(), "radius", true}}},
          {"box",
           "a box about the shape's origin",
           {{"size", numbersRule(3, {.low = 2 * kSmallestRadius, .high = kLargestSize, .unit = "m"}),
             "full edge lengths along x, y, z", true},
            rounded("radius of its edges and corners; the size stays, rounding takes away; default 0")}},
          {"capsule",
           "a cylinder along z with half-balls on both ends",
           {{"radius", radius(), "of the cylinder and of the ends", true},
            {"height", length(), "of the cylindrical part: the whole is height + 2 radius long", true}}},
          {"cylinder",
           "a cylinder along z",
           {{"radius", radius(), "radius", true}, {"height", length(), "whole length along z", true}}},
          {"ellipsoid",
           "an ellipsoid about the shape's origin",
           {{"radii", numbersRule(3, {.low = kSmallestRadius, .high = kLargestSize, .unit = "m"}),
             "half lengths along x, y, z", true}}},
          {"hull",
           "the convex hull of points",
           {{"points", listRule(vector(kLargestSize, "m"), 4, kMostHullPoints), "at least four, not all in one plane", true},
            rounded("all within this distance of the hull belongs to it; default 0")}},
          {"cone",
           "a cone along z, its apex up; the origin is half way between base and apex",
           {{"radius", radius(), "of the base", true}, {"height", length(), "from base to apex", true}}}};
}

// Heights that are made, not written out.
RulePtr heightGenerator() {
  return taggedRule({{"amplitude", nonNegative(1e5, "m"), "greatest height above and below 0", true},
                     {"wavelength", positive(kLargestSize, "m"), "from one hill to the next", true}},
                    {{"waves", "hills and hollows like those of an egg box", {}},
                     {"noise",
                      "smooth random hills",
                      {{"seed", integerRule(0, 1e9), "another landscape for each; default 1"},
                       {"octaves", integerRule(1, 8), "each half as long and half as high as the one before; default 1"}}}});
}

RulePtr fieldSolid() {
  static const RulePtr rule =
      named("solid", taggedRule({{"position", point(), "in the shape's frame; default [0, 0, 0]"},
                                 {"rotation", rotation(), "in the shape's frame"},
                                 {"rounding", nonNegative(1e6, "m"), "all within this distance belongs to it; default 0"}},
                                {{"sphere", "a ball", {{"radius", radius(), "radius", true}}},
                                 {"box",
                                  "a box",
                                  {{"size", numbersRule(3, {.low = 2 * kSmallestRadius, .high = kLargestSize, .unit = "m"}),
                                    "full edge lengths along x, y, z", true}}},
                                 {"torus",
                                  "a ring about z",
                                  {{"radius", radius(), "of the ring", true}, {"tube", radius(), "of what is bent to a ring", true}}}}));
  return rule;
}

std::vector<Alternative> compositeShapes() {
  std::vector<Alternative> convex = convexShapes();
  const RulePtr child = named("child", taggedRule({{"position", point(), "in the shape's frame; default [0, 0, 0]"},
                                                   {"rotation", rotation(), "in the shape's frame"}},
                                                  convex));
  const RulePtr index = wholeNumbersRule(3, 0, 4e9);
  return {
      {"spheres",
       "balls that move as one",
       {{"centers", listRule(vector(kLargestSize, "m"), 1, kMostChildren), "of the balls", true},
        {"radii", eitherRule({radius(), listRule(radius(), 1, kMostChildren)}), "of each, or one for all", true}}},
      {"compound",
       "convex shapes that move as one; where they overlap, mass counts twice",
       {{"children", listRule(child, 1, kMostChildren), "with places of their own", true}}},
      {"mesh",
       "a surface of triangles; on dynamic bodies only if it is closed",
       {{"vertices", listRule(vector(kLargestSize, "m"), 3, kMostTriangles), "corners of triangles"},
        {"triangles", listRule(index, 1, kMostTriangles),
         "three vertices each, numbered from 0, counter-clockwise seen from outside"},
        {"file", textRule(), "or a file (OBJ, STL, PLY, glTF, COLLADA), relative to the scene's"},
        {"scale", positive(1e9, ""), "multiplies all coordinates; default 1"},
        {"unit", choiceRule({"m", "dm", "cm", "mm", "um", "in", "ft"}), "of the file's coordinates; default m"},
        {"y_up", flagRule(), "the file's y axis points up, as in glTF; default false"},
        {"decompose", numberRule({.low = 0.001, .high = 1}),
         "convex parts stand for it when it meets other meshes, made so that none is hollow by more than this share of its size; "
         "closed meshes"},
        {"one_sided", flagRule(), "only the side is solid that triangles are counter-clockwise on; default true"},
        {"parts", listRule(child, 1, kMostChildren), "convex shapes that stand for it when it meets other meshes"},
        {"field_cells", integerRule(8, 1024),
         "or its distance field does, with so many cells along its longest side; closed meshes"}}},
      {"distance_field",
       "solids given by formulas, joined and cut",
       {{"solids", listRule(fieldSolid(), 1, 1000), "that are joined", true},
        {"cuts", listRule(fieldSolid(), 0, 1000), "that are taken away"},
        {"seam", nonNegative(1e6, "m"), "width over which two surfaces run into each other; default 0: a crease"}}},
      {"height_field",
       "heights over a grid about the origin; static and kinematic bodies only",
       {{"rows", integerRule(2, kMostSamples), "samples along y", true},
        {"columns", integerRule(2, kMostSamples), "samples along x", true},
        {"spacing", positive(kLargestSize, "m"), "between samples", true},
        {"heights", listRule(numberRule({.low = -1e5, .high = 1e5, .unit = "m"}), 4), "row after row, from the lowest y on"},
        {"generator", named("heights", heightGenerator()), "or how to make them"},
        {"holes", listRule(integerRule(0, 1e9), 0), "cells that are not there, numbered row after row"}}}};
}

std::vector<Alternative> allShapes() {
  std::vector<Alternative> all = {
      {"plane",
       "the solid half-space below a plane; static bodies only",
       {{"normal", direction(), "points out of the solid; default [0, 0, 1]"},
        {"offset", numberRule({.low = -kFarthest, .high = kFarthest, .unit = "m"}),
         "distance of the plane from the origin along the normal; default 0"}}}};
  for (Alternative& one : convexShapes()) all.push_back(std::move(one));
  for (Alternative& one : compositeShapes()) all.push_back(std::move(one));
  return all;
}

RulePtr shape() {
  static const RulePtr rule = named(
      "shape",
      taggedRule({{"position", point(), "of the shape in the body's frame; default [0, 0, 0]"},
                  {"rotation", rotation(), "of the shape in the body's frame"},
                  {"material", material(), "a name from \"materials\", or a material written out"},
                  {"density", numberRule({.low = 1e-6, .high = 1e9, .unit = "kg/m^3"}),
                   "wins over the material's; not looked at if the body gives mass_properties"},
                  {"group", groups(), "the group or groups it belongs to; default 1"},
                  {"collides_with", groups(), "groups it collides with, [] for none; both sides must agree; default: all"}},
                 allShapes()));
  return rule;
}

RulePtr pattern() {
  static const RulePtr rule = [] {
    const RulePtr count = integerRule(1, static_cast<double>(kMaximumBodies));
    const RulePtr step = vector(kLargestSize, "m");
    return named(
        "pattern",
        taggedRule(
            {}, {{"row",
                  "copies one step apart; name.0, name.1, ...",
                  {{"count", count, "how many", true},
                   {"step", step, "from one to the next; default [0, 0, 0]"},
                   {"turn_deg", degrees(), "how much each is turned against the one before; default 0"},
                   {"turn_axis", direction(), "what turn_deg turns about; default [0, 0, 1]"}}},
                 {"grid",
                  "copies in a block; name.x.y.z",
                  {{"count", wholeNumbersRule(3, 1, static_cast<double>(kMaximumBodies)), "how many along x, y, z", true},
                   {"step", step, "spacing along x, y, z", true}}},
                 {"ring",
                  "copies on a circle about z; name.0, name.1, ...",
                  {{"count", count, "how many", true},
                   {"radius", nonNegative(kLargestSize, "m"), "of the circle", true},
                   {"start_deg", degrees(), "angle of the first, from x towards y; default 0"},
                   {"facing", choiceRule({"outward", "same"}),
                    "outward: each copy's x axis points away from the centre (default); same: all keep one orientation"}}},
                 {"curve",
                  "copies at even distances along straight lines from point to point; name.0, name.1, ...",
                  {{"count", count, "how many, one at each end", true},
                   {"points", listRule(vector(kLargestSize, "m"), 2, 10000), "the corners of the way", true},
                   {"facing", choiceRule({"along", "same"}),
                    "along: each copy's x axis points along the way, z stays up (default); same: all keep one orientation"}}},
                 {"wall",
                  "a brick wall along x in running bond, of a body that is one box; name.row.column; odd rows begin and end "
                  "with a half brick; its origin is the middle of its foot. First in a list of patterns.",
                  {{"columns", integerRule(1, 10000), "bricks in an even row", true},
                   {"rows", integerRule(1, 10000), "courses", true},
                   {"gap", nonNegative(kLargestSize, "m"), "between neighbours in a row; default 0"}}},
                 {"pyramid",
                  "rows that shrink by one and sit between those below; name.row.column",
                  {{"base", integerRule(1, 2000), "copies in the lowest row", true},
                   {"step", step, "x (and y): spacing in a row; z: from row to row", true}}}}));
  }();
  return rule;
}

RulePtr drag() {
  return objectRule({{"linear", nonNegative(1e15, "N s/m"), "default 0"},
                     {"quadratic", nonNegative(1e15, "N s^2/m^2"), "default 0"},
                     {"angular_linear", nonNegative(1e15, "N m s"), "default 0"},
                     {"angular_quadratic", nonNegative(1e15, "N m s^2"), "default 0"}});
}

RulePtr trajectory() {
  const RulePtr key = named("trajectory_key", objectRule({{"time", nonNegative(1e9, "s"), "later than the key before", true},
                                                          {"position", point(), "of the body's frame; default [0, 0, 0]"},
                                                          {"rotation", rotation(), "of the body's frame"}}));
  return objectRule(
      {{"keys", listRule(key, 1, 10000), "poses at times; before the first and after the last it rests"},
       {"smooth", flagRule(),
        "true: cubic between keys, with continuous velocity, rotation at rest at every key; false: straight; default true"},
       {"repeat", flagRule(), "starts over after the last key; default false"},
       {"amplitude", vector(kLargestSize, "m"), "swings to and fro by this much; default none"},
       {"turn_amplitude_deg", numbersRule(3, {.low = -36000, .high = 36000, .unit = "degrees"}),
        "rotation vector of a swing; default none"},
       {"frequency", nonNegative(1e6, "Hz"), "of the swings; default 0"},
       {"phase_deg", degrees(), "of the swings at time 0; default 0"}});
}

RulePtr body() {
  const RulePtr mass = positive(kLargestMass, "kg");
  const RulePtr inertia = eitherRule({numbersRule(3, {.low = 0, .high = 1e30, .lowOpen = true, .unit = "kg m^2"}),
                                      listRule(numbersRule(3, {.low = -1e30, .high = 1e30, .unit = "kg m^2"}), 3, 3)});
  const RulePtr massProperties =
      named("mass_properties", objectRule({{"mass", mass, "mass", true},
                                           {"center", point(), "centre of mass in the body's frame; default [0, 0, 0]"},
                                           {"inertia", inertia,
                                            "about the centre of mass, body axes: [Ixx, Iyy, Izz], or the three rows of the "
                                            "symmetric matrix",
                                            true}}));
  return named(
      "body",
      objectRule(
          {{"name", textRule(200), "unique in the scene; joints and recordings use it; default \"body N\""},
           {"kind", choiceRule({"static", "kinematic", "dynamic"}),
            "static never moves; kinematic moves as its velocity says; default dynamic"},
           {"position", point(), "of the body's frame; with a pattern, of the pattern's origin; default [0, 0, 0]"},
           {"rotation", rotation(), "of the body's frame; with a pattern, of the whole pattern"},
           {"velocity", vector(kFastest, "m/s"), "of the centre of mass, world axes; default at rest"},
           {"angular_velocity", vector(kFastest, "rad/s"), "world axes; default at rest"},
           {"shape", shape(), "the body's one shape"},
           {"shapes", listRule(shape(), 1, kMostShapes), "or several, rigidly together"},
           {"mass", mass, "scales what the densities give"},
           {"mass_properties", massProperties, "given outright; densities are then not looked at"},
           {"gravity_scale", numberRule({.low = -1e3, .high = 1e3}), "gravity counts this many times; default 1"},
           {"linear_damping", nonNegative(1e6, "1/s"), "drag on the velocity; default 0"},
           {"angular_damping", nonNegative(1e6, "1/s"), "drag on the rotation; default 0"},
           {"drag", named("drag", drag()), "resistance of the air: force -(linear + quadratic |v|) v, torque likewise"},
           {"lock", listRule(choiceRule({"x", "y", "z", "rx", "ry", "rz"}), 0, 6),
            "world axes along which (x, y, z) it does not move and about which (rx, ry, rz) it does not turn; of the "
            "rotations none, two or three"},
           {"trajectory", named("trajectory", trajectory()), "how a kinematic body moves; wins over its velocities"},
           {"can_sleep", flagRule(), "default true"},
           {"appear", nonNegative(kMaximumSeconds, "s"), "when it enters the world; default 0"},
           {"pattern", eitherRule({pattern(), listRule(pattern(), 1, kMostPatterns)}),
            "repeats the body; in a list, each pattern repeats what the ones before it made"}}));
}

RulePtr drive() {
  const RulePtr any = numberRule({.low = -1e9, .high = 1e9});
  return objectRule({{"start", any, "value at time 0: degrees for hinges, m for distances; default 0"},
                     {"rate", any, "change per second, degrees/s or m/s; default 0"},
                     {"amplitude", any, "of a sine, degrees or m; default 0"},
                     {"frequency", nonNegative(1e6, "Hz"), "of the sine; default 0"},
                     {"phase_deg", degrees(), "of the sine; default 0"},
                     {"keys", listRule(numbersRule(2, {.low = -1e9, .high = 1e9}), 1, 10000),
                      "[time in s, value]: straight between, at rest outside, added to the above"}});
}

// What acts along an axis of a joint. Angles are in degrees, torques in N m.
RulePtr jointAxis() {
  const RulePtr value = numberRule({.low = -1e9, .high = 1e9}), strength = nonNegative(1e15, "");
  const RulePtr limits =
      eitherRule({numbersRule(2, {.low = -1e9, .high = 1e9}),
                  objectRule({{"lower", value, "degrees or m; default: none"},
                              {"upper", value, "degrees or m; default: none"},
                              {"stiffness", strength, "N/m, or N m/rad; default: it does not give"},
                              {"damping", strength, "N s/m, or N m s/rad; default 0"}})});
  const RulePtr motor = objectRule(
      {{"kind", choiceRule({"velocity", "position", "effort"}), "what the target is", true},
       {"target", value, "degrees/s or m/s; degrees or m; N m or N; default 0"},
       {"maximum_effort", strength, "N m or N; default: as much as it takes"},
       {"keys", listRule(numbersRule(2, {.low = -1e9, .high = 1e9}), 1, 10000),
        "[time in s, value], added to the target: straight between, constant outside"},
       {"stiffness", strength, "of a motor by position, N m/rad or N/m"},
       {"damping", strength, "likewise, N m s/rad or N s/m; default: critical for the two bodies by themselves"}});
  return named("joint_axis",
               objectRule({{"limits", limits, "[lower, upper] in degrees or m, or an object"},
                           {"motor", motor, "drives the axis, as strongly as it can"},
                           {"spring",
                            objectRule({{"stiffness", strength, "N/m, or N m/rad; default 0"},
                                        {"damping", strength, "N s/m, or N m s/rad; default 0"},
                                        {"rest", value, "m or degrees; default 0"}}),
                            "pulls the axis to a place"},
                           {"friction", strength, "dry, N or N m; default 0"},
                           {"armature", strength, "inertia of the axis, kg or kg m^2; default 0"}}));
}

RulePtr joint() {
  const RulePtr spring =
      named("spring", objectRule({{"stiffness", positive(1e15, "N/m"), "N m/rad for held rotations", true},
                                  {"damping", nonNegative(1e15, "N s/m"), "N m s/rad; default 0"}}));
  return named(
      "joint",
      taggedRule(
          {{"name", textRule(200), "default \"joint N\""},
           {"a", textRule(200), "a body's name, or \"world\" for an immovable anchor", true},
           {"b", textRule(200), "the other body", true},
           {"anchor", point(), "where they are held, in the world at the start"},
           {"anchor_a", point(), "or in a's frame"},
           {"anchor_b", point(), "and in b's frame; one of the two is enough: the other is the same point at the start"},
           {"spring", spring, "gives in its held directions; default: as stiff as the step can resolve"},
           {"drive", named("drive", drive()), "prescribed motion of a hinge or a distance"},
           {"axes", mapRule(jointAxis()), "what acts along the free axes, by their names (docs/joints.md)"},
           {"break_force", nonNegative(1e15, "N"), "it breaks beyond; default: never"},
           {"break_torque", nonNegative(1e15, "N m"), "likewise"},
           {"enabled", flagRule(), "default true"},
           {"bodies_collide", flagRule(), "whether a and b still collide with each other; default false"},
           {"repeat", integerRule(1, static_cast<double>(kMaximumBodies)),
            "makes this many: # in a, b and name becomes 0, 1, ..., #+1 one more, #-1 one less"}},
          {{"ball", "holds a point", {}},
           {"hinge",
            "holds a point and an axis",
            {{"axis", direction(), "in the world at the start; need not be a unit vector", true}}},
           {"fixed", "holds everything; without an anchor, at b's origin", {}},
           {"distance",
            "holds two points at a distance; without anchors, the bodies' origins",
            {{"length", positive(kLargestSize, "m"), "default: the distance at the start"},
             {"shortest", nonNegative(kLargestSize, "m"), "a range in place of a length"},
             {"longest", nonNegative(kLargestSize, "m"), "likewise; alone it is a rope, which only pulls"}}},
           {"wheel",
            "b rolls on a plane of a without slipping; the plane goes through a's anchor, the wheel's centre "
            "is b's",
            {{"axis", direction(), "of the wheel, in the world at the start", true},
             {"normal", direction(), "of the plane, in the world at the start; default [0, 0, 1]"},
             {"radius", radius(), "of the wheel", true}}},
           {"skate",
            "b's anchor does not move sideways",
            {{"axis", direction(), "sideways, in the world at the start; turns with b", true}}},
           {"slider",
            "holds the rotation and a line; leaves travel along it",
            {{"axis", direction(), "in the world at the start", true}}},
           {"cylindrical",
            "leaves travel along an axis and rotation about it",
            {{"axis", direction(), "in the world at the start", true}}},
           {"universal",
            "holds a point, and an axis of a across one of b",
            {{"axis_a", direction(), "in the world at the start", true}, {"axis_b", direction(), "likewise", true}}},
           {"cone_twist",
            "holds a point; leaves swing and twist",
            {{"axis", direction(), "of a, in the world at the start: the middle of the cone", true},
             {"axis_b", direction(), "of b, that swings; default: axis"},
             {"side", direction(), "swing_1 is about this; default: any across the axis"},
             {"cone_deg", eitherRule({numberRule({.low = 0.1, .high = 179, .unit = "degrees"}),
                                      numbersRule(2, {.low = 0.1, .high = 179, .unit = "degrees"})}),
              "half angle that b's axis stays within, or two: about side, and across it"}}},
           {"suspension",
            "b is a wheel of a: it travels along an axis, is steered about it, and spins on its axle",
            {{"axis", direction(), "of travel and steering, in the world at the start; default [0, 0, 1]"},
             {"axle", direction(), "of the wheel, likewise", true}}},
           {"planar",
            "b's anchor stays in a plane of a, and b turns about its normal",
            {{"normal", direction(), "in the world at the start; default [0, 0, 1]"},
             {"side", direction(), "x in the plane; default: any"}}},
           {"gear",
            "turns of a and b about axes that something else holds: angle of a + ratio times that of b is constant",
            {{"axis_a", direction(), "in the world at the start", true},
             {"axis_b", direction(), "default: axis_a"},
             {"ratio", numberRule({.low = -1e6, .high = 1e6}), "teeth of b over teeth of a; negative: the same way", true}}},
           {"rack_and_pinion",
            "a moves along an axis as far as b rolls about its own",
            {{"axis", direction(), "of the rack a, in the world at the start", true},
             {"axle", direction(), "of the pinion b, likewise", true},
             {"radius", numberRule({.low = -1e6, .high = 1e6, .unit = "m"}), "of the pinion", true}}},
           {"screw",
            "b moves along an axis as it turns about it",
            {{"axis", direction(), "in the world at the start", true},
             {"pitch", numberRule({.low = -1e6, .high = 1e6, .unit = "m"}), "a turn", true}}},
           {"pulley",
            "a rope from a over two points of the world to b; without anchors, from the bodies' origins",
            {{"ground_a", point(), "in the world", true},
             {"ground_b", point(), "in the world", true},
             {"ratio", positive(1e6, ""), "the rope's length is that of a's side + ratio times b's; default 1"},
             {"length", positive(kLargestSize, "m"), "default: as it is at the start"},
             {"slack", flagRule(), "true: it only pulls; default false"}}},
           {"curve",
            "b's anchor runs on a smooth curve of a; without an anchor, b's origin",
            {{"points", listRule(point(), 2, 100000), "of the curve, in a's frame", true},
             {"closed", flagRule(), "default false"}}},
           {"six_dof",
            "holds any of six degrees",
            {{"free", listRule(choiceRule({"x", "y", "z", "turn_x", "turn_y", "turn_z"}), 0, 6),
              "which it leaves free; default none"},
             {"frame", rotation(), "of the axes, in the world at the start"}}}}));
}

// The defaults are asked of the engine, so that the documentation cannot fall behind it.
RulePtr settings() {
  std::vector<Field> fields = {{"gravity", vector(1e4, "m/s^2"), "default [0, 0, -9.81]"},
                               {"dt", positive(kMaximumTimeStep, "s"), "length of a step; default 1/60"},
                               {"seconds", positive(kMaximumSeconds, "s"), "length of the run; default 10"}};
  for (Field& field : optionFields()) fields.push_back(std::move(field));
  return named("settings", objectRule(std::move(fields)));
}

// Problems and logs are written to files of this name: it must not lead to another folder.
RulePtr nameRule() {
  auto rule = std::make_shared<Rule>(*checkedTextRule([](const std::string& text) -> std::string {
    const bool leads = text.find_first_of("/\\") != std::string::npos || text == "." || text == "..";
    return leads ? fmt::format("found \"{}\"; allowed: a name without / and \\, since files are named after it", text) : "";
  }));
  rule->longest = 200;
  return rule;
}

RulePtr parameters() {
  const RulePtr number = numberRule({});
  const RulePtr numberOrExpression = eitherRule({number, textRule()});
  const RulePtr parameter =
      eitherRule({number, textRule(),
                  objectRule({{"default", numberOrExpression, "its value unless --set gives another", true},
                              {"min", number, "smallest allowed"},
                              {"max", number, "largest allowed"},
                              {"unit", textRule(40), "for people"},
                              {"what", textRule(), "for people"}})});
  return mapRule(parameter);
}

RulePtr placements() {
  static const RulePtr rule = listRule(named(
      "placement",
      objectRule({{"group", textRule(200), "a name from \"groups\"", true},
                  {"name", textRule(200), "goes in front of the names inside: \"name.wheel\"; default: the group's"},
                  {"position", point(), "of the group's frame; with a pattern, of the pattern's origin; default [0, 0, 0]"},
                  {"rotation", rotation(), "of the group's frame; with a pattern, of the whole pattern"},
                  {"pattern", eitherRule({pattern(), listRule(pattern(), 1, kMostPatterns)}),
                   "repeats the group with its joints: \"name.0.wheel\", \"name.1.wheel\", ..."},
                  {"appear", nonNegative(kMaximumSeconds, "s"), "when it enters the world; default 0"},
                  {"set", mapRule(numberRule({})), "other values for the group's parameters"}})));
  return rule;
}

RulePtr group() {
  static const RulePtr rule = named(
      "group", objectRule({{"parameters", parameters(), "numbers that a placement may set; hide the scene's of that name"},
                           {"bodies", listRule(body()), "in the group's frame"},
                           {"joints", listRule(joint()), "between its bodies, or to \"world\""},
                           {"place", placements(), "other groups inside this one"}}));
  return rule;
}

RulePtr scene() {
  return named(
      "scene",
      objectRule(
          {{"$schema", textRule(), "for editors; not looked at"},
           {"cairn", integerRule(kFormatVersion, kFormatVersion), "version of the format", true},
           {"name", nameRule(),
            "default: the file's name without .json; no / and no backslash, since files are named after it"},
           {"title", textRule(200), "one line"},
           {"description", textRule(4000), "what to look at"},
           {"stands", flagRule(),
            "true: what rests at the start should still be in its place at the end (see bodies_lost in the report)"},
           {"parameters", parameters(),
            "numbers that `--set name=value` may change; \"$name\" stands for the number anywhere a number may stand, and so do "
            "expressions: \"$length/2 - 0.1\", \"2*$n + 1\", \"$r * sin(rad($angle))\"; a parameter may be an expression of "
            "others"},
           {"settings", settings(), "gravity, time step, length, method"},
           {"materials", mapRule(materialObject()), "by name"},
           {"pairs",
            listRule(named("pair", objectRule({{"a", textRule(200), "a material's name", true},
                                               {"b", textRule(200), "another one's, or the same", true},
                                               {"material", materialObject(), "what holds between the two", true}})),
                     0, 10000),
            "pairs of materials that do not mix as usual"},
           {"include", listRule(textRule(4000)),
            "files whose materials, bodies and joints come first, relative to this file; settings given here win"},
           {"bodies", listRule(body()), "in the order they are added"},
           {"groups", mapRule(group()), "bodies and joints that belong together, by name: see \"place\""},
           {"place", placements(), "puts groups into the scene, after the bodies"},
           {"joints", listRule(joint()), "between bodies"}}));
}

}  // namespace

const Rule& sceneRule() {
  static const RulePtr rule = scene();
  return *rule;
}

const Rule& parametersRule() {
  static const RulePtr rule = parameters();
  return *rule;
}

const Rule& groupRule() {
  static const RulePtr rule = group();
  return *rule;
}

const Rule& settingsRule() {
  static const RulePtr rule = settings();
  return *rule;
}

}  // namespace cairn
