// Contacts as the wide solver sees them: sixteen contacts side by side, one per lane, no two lanes sharing a body that can
// be moved; narrower machines do a block in two or four parts. Everything is relative to the step's beginning and in single
// precision.
//
// Rows are scaled by nothing: velocities in m/s and rad/s, impulses in N s per substep.
#pragma once

#include <cstdint>
#include <span>

namespace cairn::wide {

inline constexpr int kLanes = 16;
using Lane = float[kLanes];
using Lane3 = float[3][kLanes];

// What the solver changes of a body, one cache line. The first half is gathered by every pass, the second only by passes
// that need positions.
struct alignas(64) SolverBody {
  float velocity[3];  // m/s
  float spin[3];      // rad/s
  float unused0[2];
  float moved[3];   // m since the step's beginning
  float turned[3];  // rad since the step's beginning
  float unused1[2];
};

struct alignas(64) ContactPointLanes {
  Lane3 arm;        // r x n about A's centre; about B's it is apart x n more
  Lane mass;        // kg, 1 / (J M^-1 J^T); 0 in an empty lane
  Lane stiffness;   // of the softened row, 1 if rigid: m_soft / m; the spring lets go of the rest of its impulse per pass
  Lane separation;  // m at the step's beginning
  Lane gap;         // m after the last substep: nothing moves before the next soft pass asks for it
  Lane impulse;     // N s in this substep
  Lane total;       // N s over the step
  Lane lever;       // m, from the friction centre
};

// What restitution needs of a point, at the substep's beginning. Only blocks that can bounce have these.
struct alignas(64) ApproachLanes {
  Lane speed;         // m/s
  Lane gap;           // m
  Lane restitution;   // of the contact; 0: it does not bounce
  Lane acceleration;  // m/s^2 along the normal, of B against A, by external loads; of the contact
};

// Of the two bodies, A is the one whose centre is nearer: what is small is known to all digits, and of the other body only
// how far its centre is from there.
struct alignas(64) ContactBlock {
  std::uint32_t bodyA[kLanes], bodyB[kLanes];
  std::uint32_t firstPoint;        // into the array of ContactPointLanes
  std::uint32_t firstApproach;     // into the array of ApproachLanes, if it bounces
  std::uint16_t points;            // the most of any lane
  std::uint16_t lanes;             // that are in use: the first ones
  std::uint16_t writesA, writesB;  // bit per lane: the body can be moved, and is written back
  std::uint16_t bounces;           // bit per lane: restitution may apply
  std::uint16_t central;           // 1: one point each, and what can turn are balls that turn alike about every axis

  // What balls need comes first.
  alignas(64) Lane3 normal;  // from A to B
  Lane3 tangent;             // the second tangent is normal x tangent
  Lane inverseMassA, inverseMassB;
  Lane friction;
  Lane relaxes;                               // 1, or 0 where relaxation must leave a stated stiffness alone
  Lane biasRate;                              // 1/s: how much of the penetration is undone per second
  Lane pushOut;                               // m/s at most
  Lane k11, k22;                              // inverse of the 2 x 2 tangent matrix, kg
  Lane friction1, friction2, total1, total2;  // impulses in this substep, and over the step
  // 1/kg: what an impulse at point q adds to the velocity of point p > q, at p (p - 1)/2 + q. Balls have no second point,
  // and something else there: see Ball.
  Lane coupling[6];
  Lane k12;
  Lane inertiaA[6], inertiaB[6];  // inverse, 1/(kg m^2), world axes: xx, yy, zz, xy, xz, yz
  // Friction of the whole patch acts at one centre: two tangents and a twist.
  Lane3 centre;                   // m from A's centre of mass
  Lane3 apart;                    // m: seen from B's centre of mass, all is this farther
  Lane twistMass;                 // kg m^2
  Lane twist1, twist2;            // 1/(kg m): what the tangent impulses add to the spin about the normal
  Lane twist, totalTwist;         // as friction1, total1
  Lane approachSpeed;             // m/s at the friction centre, when the step begins
  std::uint32_t contact[kLanes];  // where the impulses go back to; UINT32_MAX in an empty lane
};

// What is at these places of `coupling` in a block of balls: how far from the centre they are touched (m), and by how much a
// tangent impulse turns them (1/(kg m)).
enum Ball { kReachA, kReachB, kTurnA, kTurnB };

// A body's inverse mass (1/kg) and inertia (1/(kg m^2), world axes: xx, yy, zz, xy, xz, yz).
struct MassRow {
  float inertia[6];
  float inverseMass;
  float unused;
};

// A spring-damper row over a substep h, from its undamped angular frequency and damping ratio, relative to the row's mass m:
// k = m w^2, c = 2 zeta m w, softness 1/(h (h k + c)). Implicit Euler, so stable for any stiffness.
struct Softness {
  float rate;       // 1/s
  float massScale;  // m_soft / m; the spring lets go of the rest, 1 - massScale, of the impulse in each pass
  bool operator==(const Softness&) const = default;
};

// Where a block is filled from: for each lane, numbers that lie together in memory. Eight are read of each, whatever they
// are.
struct BlockSources {
  const float* contact[kLanes];   // normal (3), between (3), friction, twist impulse: see Contact
  const float* friction[kLanes];  // friction impulse on B (3)
  const float* points[kLanes];    // pointStride apart: place from A's centre of mass (3), separation, normal impulse
  const float* massA[kLanes];     // MassRow
  const float* massB[kLanes];
  int pointStride;         // in numbers
  alignas(64) Lane count;  // points; 0 in an empty lane, whose other sources are zeros
  Lane swapped;            // 1 where the contact's B is A here, and its numbers are to be turned about; else 0
};
struct FillValues {
  Softness between, ground;  // two bodies that can be moved, one that cannot
  float pushOut;             // m/s
  float rescale;             // of impulses, to this substep's length
  bool operator==(const FillValues&) const = default;
};
// Fills a block and its points as prepare() expects them, save for who is in it.
void fill(ContactBlock& block, ContactPointLanes* points, const BlockSources& sources, const FillValues& values);

struct SubstepValues {
  float h;                    // s
  float inverseH;             // 1/s
  float bounceSpeed;          // m/s: slower approaches do not bounce
  bool fetchesAhead = false;  // rows come from memory, and are asked for before they are needed
};

// Makes rows of what is known of the contacts. Expected in the blocks: bodies, normal, inverse masses and inertias,
// `relaxes`, twist, and in place of rows
//   arm of points           the point, m from A's centre
//   apart                   from B's centre to A's, m
//   mass of points          1 where a lane has the point, 0 where not
//   stiffness of points     where `relaxes` is 0: compliance, m/(N s)
//   lever of points         its weight for the centre of pressure
//   centre                  last friction impulse on B, N s
// With `again`, the rows are there already, and only what depends on the inertias is made anew.
using Blocks = std::span<ContactBlock>;
void prepare(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies, bool again);

// Makes rows that the last step left fit for a new one, from where the bodies are now: nothing has moved by more than a hair
// since they were prepared.
void keepRows(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies);

// What a block says of each lane when the step is over.
struct alignas(64) BlockResults {
  Lane3 friction, totalFriction;  // N s on B: as stored, and over the step
  Lane twist;                     // N m s as stored
  Lane load;                      // N s as stored: all points together, along the normal
  Lane gap;                       // m, the least of the points
  Lane total;                     // N s over the step, the most of any point
  Lane steepness;                 // cosine of the angle between the normal and `up`, or its opposite
};
// `unscale`: from impulses of a substep to what is stored.
void readBack(const ContactBlock& block, const ContactPointLanes* points, float unscale, const float (&up)[3],
              BlockResults& results);

// Each works on a run of blocks of one colour.
// Warm start.
void applyImpulses(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values);
void solveSoft(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values);
void relax(Blocks blocks, ContactPointLanes* points, SolverBody* bodies, const SubstepValues& values);
void noteApproach(Blocks blocks, const ContactPointLanes* points, ApproachLanes* approaches, const SolverBody* bodies);
void bounce(Blocks blocks, ContactPointLanes* points, const ApproachLanes* approaches, SolverBody* bodies,
            const SubstepValues& values);
void measureGaps(Blocks blocks, ContactPointLanes* points, const SolverBody* bodies);  // as relax() leaves them
const char* instructionSet();                                                          // what the above run on here

}  // namespace cairn::wide
