// How many substeps each island of a step of the soft stepper needs.
//
// Contact springs can be as stiff as a substep allows (omega h = 1.18, see soft_contacts.cpp), so N substeps of a step dt
// give springs of omega = 1.18 N / dt. What needs stiff springs:
// - Load. A point that carries W with effective mass m sinks by W/(m omega^2); that must stay small.
// - Slenderness. A column of soft joints buckles under its own weight unless q H^3 / EI < 7.84 (Greenhill). For layers of
//   thickness c and mass m, q = m g / c and EI = m omega^2 r^2 c, with r the radius of gyration of the cross-section about
//   its weak axis: omega^2 > g H^3 / (7.84 c^2 r^2).
// and what needs many sweeps:
// - Height. A sweep carries a change of load a few layers on.
// - Whatever must be right in time rather than at rest: bounces, stated stiffness, fast spin, joints. Trees of joints alone
//   are solved exactly, and need only as many as it takes to follow how they turn.
#pragma once

#include <vector>

#include "steppers/stepper.hpp"

namespace cairn {

struct IslandPlan {
  int substeps = 0;
  bool tall = false;  // many layers stand above each other
  bool operator==(const IslandPlan&) const = default;
};

// A contact that is to be solved.
struct LiveContact {
  std::uint32_t contact;  // slot
  std::uint32_t a, b;     // bodies
  std::uint32_t island;
  std::uint8_t points;
  bool kept;           // see AtRest in collision/contact.hpp
  std::uint16_t rank;  // see contact_watch.hpp; 0: it is swept
};

class SubstepPlan {
 public:
  // By island. Numbers of substeps are also written to the bodies: they rise at once and fall slowly. Notes in the report
  // how many contacts there are.
  const std::vector<IslandPlan>& make(StepContext& context, double dt);
  const std::vector<LiveContact>& contacts() const { return contacts_; }
  std::uint32_t islandOf(std::uint32_t body) const { return bodies_[body].island; }  // kNone: it does not move, or sleeps
  // A hash of all that batches are made of: who is in which island with which plan, and the contacts. Not of joints.
  std::uint64_t signature() const;

 private:
  // What of an island bears on the number.
  struct Need {
    Vec3 origin = Vec3::Zero();  // one of its bodies
    bool any = false;            // it has a body
    bool exact = false;          // it has something that must be right in time
    bool spinning = false;       // it has a body that spins fast for its shape
    int bodies = 0;
    double low = 0.0, high = 0.0, z = 0.0;                  // m, of centres, along the vertical; z: the sum
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;  // sums over bodies across the vertical, m and m^2
    double thickness = 0.0;                                 // m, sum over contacts above each other
    bool touches = false;                                   // it has a contact
    int joints = 0, inner = 0;                              // all, and those between two of its bodies
    double mass = 0.0, lightness = 0.0;                     // kg, all; 1/kg, of the lightest body
    double speeds = 0.0;                                    // m^2/s^2: sum of squares
    double turn = 0.0;                                      // rad in a step, times how unlike its moments are: the most
    double spin = 0.0;                                      // rad^2/s^2: the square of the fastest
    double energy = 0.0;                                    // J, kinetic
    double turning = 0.0;                                   // J rad^2: energy of turning times the square of the turn
    int layers = 0;                                         // how many those are
    double hardness = 0.0;                                  // 1/s^2: the largest omega^2 that a contact asks for
    int before = 0, known = 0;                              // eighths of substeps of the last step, sum over those that had
    int after = 0;                                          // eighths of substeps; 0: not worth remembering
  };
  static double layersOf(const Need& need);
  static double substepsFor(const Need& need, double gravity, double dt);
  static double substepsForTree(const Need& need, double dt);

  // Of a body, close together: contacts are in no order that bodies would be found in.
  struct Brief {
    std::uint32_t island = kNone;
    float inverseMass = 0.0f;
    float thickness = 0.0f;  // m
    float height = 0.0f;     // m, of its centre, above the island's origin
  };
  void surveyBodies(StepContext& context, double dt);
  void listContacts(const System& system);
  void surveyContacts(StepContext& context, double dt);
  void surveyJoints(const System& system);

  // What a body tells of its island.
  struct BodySurvey {
    float x, y, z;      // m to the side, to the front, up, from the first body of any island
    float xx, xy, yy;   // m^2: of its own mass about its centre
    float spin, speed;  // squares
    float turn;         // rad
    float turning;      // J, about
    float mass;         // kg
    std::uint16_t before;
  };
  // What a contact tells of its island.
  struct ContactSurvey {
    float hardness = 0.0f;
    float deepest = 0.0f;    // m, negative
    float thickness = 0.0f;  // m
    bool exact = false;
    bool isLayer = false;  // one body stands on the other
  };

  std::vector<Brief> bodies_;
  std::vector<BodySurvey> bodySurveys_;        // by body; of those that have an island
  std::vector<ContactSurvey> contactSurveys_;  // of contacts_
  std::vector<LiveContact> contacts_;
  std::vector<std::uint64_t> bodyHashes_, contactHashes_;  // of pieces
  std::vector<Need> needs_;
  std::vector<IslandPlan> plans_;
};

}  // namespace cairn
