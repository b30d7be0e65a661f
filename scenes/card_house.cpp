// A house of cards: pairs that lean on each other, and flat cards that carry the next storey.
#include "scenes/builders.hpp"

namespace cairn {
namespace {

// Ten times the size of playing cards, and as thick as a board.
constexpr double kLength = 0.88;     // m
constexpr double kWidth = 0.63;      // m
constexpr double kThickness = 0.02;  // m
constexpr double kDensity = 700.0;   // kg/m^3
constexpr double kGap = 0.01;        // m, between cards of a storey that lie or stand beside each other

// A pair of cards about x = 0 with its feet at z = 0, its centre at x. The inner upper edges touch at x = 0, at the height
// length cos(lean); the outer upper edges, thickness cos(lean) to either side, carry what lies on top.
void addPair(SceneModel& model, const std::string& name, const Material& material, double lean, double x, double z) {
  const Box card{0.5 * Vec3(kThickness, kWidth, kLength)};
  const double out = 0.5 * (kLength * std::sin(lean) + kThickness * std::cos(lean));
  const double up = 0.5 * (kLength * std::cos(lean) + kThickness * std::sin(lean));
  for (const double side : {-1.0, 1.0}) {
    SceneBody body;
    body.desc.name = name + (side < 0.0 ? ".left" : ".right");
    body.desc.pose = {{x + side * out, 0.0, z + up}, turned(-side * lean, Vec3::UnitY())};
    body.desc.shapes = {shapeOf(card, material, kDensity)};
    model.bodies.push_back(std::move(body));
  }
}

SceneModel build(const ParameterValues& values) {
  const int storeys = static_cast<int>(values.at("storeys"));
  const double lean = radians(values.at("lean_deg"));
  const Material material = withFriction(values.at("friction"));

  SceneModel model;
  model.seconds = 10.0;
  model.stands = true;
  model.materials["card"] = material;
  model.bodies.push_back(fixedBody("ground", Plane{}, material));

  // Neighbouring pairs stand kGap apart at their feet. A flat card reaches from one pair's top to the next one's, and ends
  // short of the middle, so that two of them find room there.
  const double spacing = 2.0 * (kLength * std::sin(lean) + kThickness * std::cos(lean)) + kGap;
  const double flatLength = spacing - kGap;
  const double pairHeight = kLength * std::cos(lean) + kThickness * std::sin(lean);
  double z = 0.0;
  for (int storey = 0; storey < storeys; ++storey) {
    const int pairs = storeys - storey;
    const auto place = [&](int i, int of) { return (i - 0.5 * (of - 1)) * spacing; };
    for (int i = 0; i < pairs; ++i)
      addPair(model, "pair." + std::to_string(storey) + "." + std::to_string(i), material, lean, place(i, pairs), z);
    z += pairHeight;
    for (int i = 0; i + 1 < pairs; ++i) {
      SceneBody flat;
      flat.desc.name = "flat." + std::to_string(storey) + "." + std::to_string(i);
      flat.desc.pose.position = {place(i, pairs - 1), 0.0, z + 0.5 * kThickness};
      flat.desc.shapes = {shapeOf(Box{0.5 * Vec3(flatLength, kWidth, kThickness)}, material, kDensity)};
      model.bodies.push_back(std::move(flat));
    }
    z += kThickness;
  }
  return model;
}

}  // namespace

SceneBuilder cardHouseBuilder() {
  return {
      .name = "card_house",
      .title = "A house of cards, four storeys high",
      .description =
          "Ten pairs of cards lean on each other, six flat ones carry the storeys above: 26 cards that hold by friction "
          "alone. A card that carries much pushes its foot outwards with tan(lean) of what it carries, so that it stands "
          "if the friction is more than that: 0.6 against 0.36. Nothing may creep.",
      .parameters =
          {{.name = "storeys", .value = 4, .least = 1, .most = 30, .what = "of the house", .whole = true},
           {.name = "lean_deg", .value = 20, .least = 5, .most = 40, .unit = "degrees", .what = "off the vertical"},
           {.name = "friction", .value = 0.6, .least = 0, .most = 100, .what = "of every surface"}},
      .build = build,
  };
}

}  // namespace cairn
