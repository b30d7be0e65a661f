// How many substeps each island of a step of the soft stepper needs.
//
// Contact springs can be as stiff as a substep allows (omega h = 1.18, see contact_springs.hpp), so N substeps of a step dt
// give springs of omega = 1.18 N / dt. What needs stiff springs:
// - Load. A point that carries W with effective mass m sinks by W/(m omega^2); that must stay small. In
//   a large island a few contacts may sink twice as deep as the others.
// - Slenderness. A column of soft joints buckles under its own weight unless q H^3 / EI < 7.84 (Greenhill). For layers of
//   thickness c and mass m, q = m g / c and EI = m omega^2 r^2 c, with r the radius of gyration of the cross-section about
//   its weak axis: omega^2 > g H^3 / (7.84 c^2 r^2).
// and what needs many sweeps:
// - Height. A sweep carries a change of load a few layers on.
// - Whatever must be right in time rather than at rest: bounces, stated stiffness, fast spin, joints. Trees of joints alone
//   are solved exactly, and need only as many as it takes to follow how they turn.
#pragma once

#include <array>
#include <vector>

#include "mechanics/stepper.hpp"
#include "soft/layout/watched_contacts.hpp"

namespace cairn {

struct IslandPlan {
  int substeps = 0;
  bool changesOrder = false;  // of its colours, in every substep: many layers stand above each other, or it bears all it can
  bool direct = false;  // it is solved as one system (direct_island.hpp), or swept with that many substeps if that fails
  bool operator==(const IslandPlan&) const = default;
};

// A contact that is to be solved.
struct LiveContact {
  std::uint32_t contact;  // slot
  std::uint32_t a, b;     // bodies
  std::uint32_t island;
  std::uint8_t points;
  bool exact;            // it bounces or has a stated stiffness, and must be right in time
  std::uint8_t rank;     // see layout/watched_contacts.hpp; 0: it is swept
  std::uint8_t loadBin;  // see SubstepPlan::Loads
};

class SubstepPlan {
 public:
  // By island. Numbers of substeps are also remembered by body (SoftMemory): they rise at once and fall slowly. Notes in the
  // report how many contacts there are.
  const std::vector<IslandPlan>& make(StepContext& context, double dt);
  const std::vector<IslandPlan>& plans() const { return plans_; }
  const std::vector<LiveContact>& contacts() const { return contacts_; }
  // Of an island: bodies that can be moved, contacts, joints.
  struct Size {
    std::uint32_t bodies = 0, contacts = 0, joints = 0;
  };
  Size sizeOf(std::size_t island) const {
    const Need& need = needs_[island];
    return {static_cast<std::uint32_t>(need.bodies), static_cast<std::uint32_t>(need.contacts),
            static_cast<std::uint32_t>(need.joints)};
  }
  // It has more kinetic energy than at that speed (m/s), or its bodies are deeper inside each other (m).
  bool isUnquiet(std::size_t island, double speed, double depth) const {
    const Need& need = needs_[island];
    return need.energy > 0.5 * speed * speed * need.mass || need.deepest < -depth;
  }
  std::uint32_t islandOf(std::uint32_t body) const { return bodies_[body].island; }  // kNone: it does not move, or sleeps
  // A hash of all that batches are made of, save for contacts: the island of each body, and the plan of each island. Of
  // joints only if they are given.
  std::uint64_t signature(const System* withJoints) const;

 private:
  // Of a body, close together: contacts are in no order that bodies would be found in.
  struct BodySummary {
    BodyMotion motion;
    std::uint32_t island = kNone;
    float inverseMass = 0.0f;
    float thickness = 0.0f;  // m
    float height = 0.0f;     // m, of its centre, above the first body of any island
  };
  // What a body tells of its island besides.
  struct BodySurvey {
    float x, y;        // m to the side and to the front, from the first body of any island
    float xx, xy, yy;  // m^2: of its own mass about its centre
    float turn;        // rad
    float turning;     // J, about
  };
  // What several bodies of an island tell together. Places are from the first of them.
  struct BodySums {
    Vec3 origin = Vec3::Zero();
    int bodies = 0;
    int spinning = 0;                                       // so many spin fast for their shape
    double low = 0.0, high = 0.0, z = 0.0;                  // m, of centres, along the vertical; z: the sum
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;  // sums across the vertical, m and m^2
    double mass = 0.0, heaviest = 0.0, lightness = 0.0;     // kg, all and the most; 1/kg, of the lightest body
    double speeds = 0.0;                                    // m^2/s^2: sum of squares
    double turn = 0.0;                                      // rad in a step, times how unlike its moments are: the most
    double spin = 0.0;                                      // rad/s: the fastest
    double energy = 0.0;                                    // J, kinetic
    double turning = 0.0;                                   // J rad^2: energy of turning times the square of the turn
    int before = 0, known = 0;                              // eighths of substeps of the last step, sum over those that had
    void add(const BodySummary& summary, const BodySurvey& body, int substepsBefore);  // in eighths
    void add(const BodySums& others);
  };
  // What of an island bears on the number.
  struct Need : BodySums {
    bool exact = false;         // it has something that must be right in time
    bool touches = false;       // it has a contact
    int joints = 0, inner = 0;  // all, and those between two of its bodies
    bool loops = false;         // some of these close a loop
    int jointed = 0;            // bodies that have joints
    double jointError = 0.0;    // m, the largest, after the last step
    int contacts = 0, points = 0;
    float deepest = 0.0f;         // m, negative: the deepest of its points
    int layers = 0;               // contacts above each other
    double thickness = 0.0;       // m, sum over those
    double hardness = 0.0;        // 1/s^2: the largest omega^2 that a contact asks for
    std::uint32_t loads = kNone;  // into loads_, if it is large
    int after = 0;                // eighths of substeps; 0: not worth remembering
    // Of islands that might have to be solved directly (direct_choice.cpp).
    bool mayBeDirect = false, isLookedAt = false;
    int pressing = 0, pressed = 0;       // contacts that carry something, and their points that do
    double loaded = 0.0, leaning = 0.0;  // N s, of all contacts and of those that lean on friction
    double burden = 0.0;                 // m/s^2: the most that a contact bears, over the mass of its bodies
  };
  // Of a large island, how many contacts ask for how many substeps, in thirty-seconds of the most that there may be.
  static constexpr int kLoadBins = 32;
  using Loads = std::array<std::uint32_t, kLoadBins>;
  // What all but a few of an island's contacts ask for, as a hardness; `most`: that of springs at the most substeps.
  static double hardnessOfMost(const Need& need, const Loads& loads, double most);
  static double layersOf(const Need& need);
  // `stiffest`: omega that springs have at most, however many substeps there are.
  static double substepsFor(const Need& need, double gravity, double dt, double stiffest);
  static double substepsForTree(const Need& need, double dt);
  // Of all islands: what tells whether they are to be solved directly.
  void surveyHard(const StepContext& context);
  // What is remembered of an island that is to be solved directly: more than the eighths of the most substeps. If it is not
  // to be, no more than that.
  static int directEighths(const Need& need, const SoftOptions& options, double gravity, double dt);
  // Words of a piece, one after another; a quicker hash than base/hash.hpp.
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x9E3779B97F4A7C15u; }
  static constexpr std::uint64_t kEmptyHash = 0x243F6A8885A308D3u;

  void surveyBodies(StepContext& context, double dt);
  void surveyContacts(StepContext& context, double dt);
  void surveyJoints(const System& system);

  // What a contact tells of its island.
  struct ContactSurvey {
    float hardness;   // 1/s^2
    float deepest;    // m, negative or 0
    float thickness;  // m, of the layer, if one body stands on the other; negative if not
  };
  // What several contacts of an island tell together.
  struct ContactSums {
    float hardness = 0.0f;   // the most
    float deepest = 0.0f;    // m, negative
    float thickness = 0.0f;  // m, of layers
    int contacts = 0, points = 0, layers = 0;
    bool exact = false;
    void add(const LiveContact& contact, const ContactSurvey& survey);
  };
  // Those that were looked at together: if they are all of one island, what they tell together.
  template <class Sum>
  struct Piece {
    std::uint32_t island = kNone;  // kNone: they are of several, or of none
    Sum all{};
  };
  void countLoads(StepContext& context, double dt);

  std::vector<BodySummary> bodies_;
  std::vector<BodySurvey> bodySurveys_;        // by body; of those that have an island
  std::vector<ContactSurvey> contactSurveys_;  // of contacts_, in pieces that are of several islands
  std::vector<Piece<BodySums>> bodyPieces_;
  std::vector<Piece<ContactSums>> contactPieces_;
  std::vector<LiveContact> contacts_;
  std::vector<std::uint64_t> bodyHashes_;  // of pieces
  std::vector<Need> needs_;
  std::vector<Loads> loads_;
  std::vector<std::uint32_t> joined_;  // by body: union-find over those that joints hold together
  std::vector<char> jointed_;          // by body: it has a joint
  std::vector<IslandPlan> plans_;
};

}  // namespace cairn
