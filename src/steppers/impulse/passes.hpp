// Collisions, contacts and shock in passes over all contacts (Guendelman, Bridson and Fedkiw 2003).
//
//   1  predict   q' = q + h (u + h a); points whose gap is closed there take part
//   2  collide   on the old velocities u, with true restitution, a few passes
//   3  load      u += h a
//   4  contact   passes with restitution rising from -0.9 to 0: each takes back a share of what is left of the approach, so
//                that weight has passes to travel through a stack before anything is stopped for good
//   5  shock     from the ground up, what is below is held fast while its contacts with what is above are finished
//   6  move      q += h u
//
// Bodies that move by more than they are thick could pass each other between two poses: of those the first meeting on the
// way is found (bounds.hpp), and its gap taken to change linearly. Again with the velocities that the passes leave.
//
// Colliding on old velocities and only then adding loads is what lets a resting box with restitution rest: gravity's part
// of an approach never bounces. Two things differ from the paper. Predicted gaps follow changes of velocity linearly, by
// g' + h (u_n - u'_n), instead of being detected anew in each pass. Contacts remember the
// impulse that passes gave them, so that friction can hold with all of it and not only with the last pass's part: otherwise
// stacks drift sideways. And a contact may still close the gap that it has (u_n
// = -g/h) where the paper stops it (u_n = 0), which would leave bodies hovering at up to h^2 |a| above what they rest on.
#pragma once

#include "steppers/impulse/bounds.hpp"
#include "steppers/impulse/points.hpp"

namespace cairn {

class ContactPasses {
 public:
  // Of the bodies that `takesPart` marks, over a time h (s); other bodies push back but are not moved. Steps 1.
  ContactPasses(StepContext& context, PointImpulses& impulses, const std::vector<char>& takesPart,
                std::span<const ImpulsePair> pairs, double h);

  void applyImpacts(int passes);
  void addLoads();
  void contact(int passes);
  void shock(int passes);
  // What the velocities of now would make meet on the way; a few rounds of passes more if there is anything.
  void hinderMeetings(int passes);
  void move();

 private:
  struct Patch {
    ImpulsePair pair;
    int count = 0;
    PatchPoints points;
    // Per point, m/s: relative normal velocity that led to the predicted gap, and what of it loads will still add.
    std::array<double, kManifoldPoints> predicted{}, pending{};
    std::array<Vec3, kManifoldPoints> impulse;  // N s, of contact and shock passes
  };
  struct Prediction {
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    Pose pose;
  };
  SteadyMotion motionOf(std::uint32_t body, bool predicted) const;
  double thinnest(const ImpulsePair& pair) const;  // m, of the two, halved
  // Adds a patch where two fast bodies meet before the step is over; false if they do not.
  bool meet(const ImpulsePair& pair, bool predicted);
  // One for each manifold at these poses, `left` (s) before the end; none if no point would then be deeper than -`deepest`
  // (m).
  bool addPatches(const ImpulsePair& pair, const Pose& a, const Pose& b, double left, double margin, double deepest);
  double gapAfter(const Patch& patch, int point) const;  // m, linear, if the bodies go on as they do now
  bool applyImpacts(const Patch& patch);
  // One visit: the gaps after the step no longer fall below zero, up to the share 1 + restitution.
  void hinder(Patch& patch, double restitution);

  StepContext& context_;
  System& system_;
  PointImpulses& impulses_;
  FreeMotion motion_;
  double h_;
  bool loaded_ = false;  // loads are in the velocities
  std::vector<std::uint32_t> bodies_;
  std::vector<Body> start_;             // of bodies_
  std::vector<Prediction> prediction_;  // by body
  std::vector<ImpulsePair> pairs_;
  std::vector<Patch> patches_;
};

// In how many pieces a time (s) is to be passed so that no body near others turns by more than kTurnPerPass.
inline constexpr double kTurnPerPass = 0.25;  // rad
inline constexpr int kMostTurnPasses = 400;
int piecesForTurning(const System& system, std::span<const ImpulsePair> pairs, const std::vector<char>& takesPart, double h);

}  // namespace cairn
