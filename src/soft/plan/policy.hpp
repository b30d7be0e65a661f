// Every threshold of the default step that is not of a directly solved island (policy_direct.hpp) or of a joint tree
// (policy_joint_tree.hpp), by stage. Each says its unit, its reason, and what decides it.
//
// "Decided by" names scenes of the gallery, tests, or the decision in docs/decisions that has the figures. A scene is named
// if its state after 90 steps is another one with the threshold halved or doubled; a test, if it fails then. "Speed" and
// "memory" mean that the figure was chosen for these, even if results differ in their last digits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::policy::plan {

// Springs of contacts (plan/contact_springs.hpp).

// rad: omega h of the stiffest spring. Sweeps with warm starts act on the slow modes of a stack as springs of 2 m/h^2. A
// contact spring that is stiffer feeds the mode: unstable from the square root of 2 on. Decided by `ball_grid`,
// `bounce`, `dominoes` and 12 more scenes.
inline constexpr double kSpringAngle = 6.283185307179586 * 3.0 / 16.0;
// m that a loaded point may sink. Deeper is seen. Decided by `falling_roof`, `mass_ratio`, `pyramid` and 2 more scenes.
inline constexpr double kDeepest = 0.01;
// of the body's thickness, likewise: for thin bodies. Decided by `card_house` and `silo`.
inline constexpr double kDeepestShare = 0.015;
// ratio of the lengths of two steps. Impulses are carried over a change of dt up to this ratio. Decided by changes of
// dt, decision 20.
inline constexpr double kMostRescaling = 10.0;
// cosine of normal and vertical. From it on one body stands on the other, and they are two layers. Decided by
// `falling_roof`, `pile`, `pyramid` and 4 more scenes.
inline constexpr float kUpright = 0.7f;

// Substeps of islands (plan/substep_plan.cpp).

// of omega. 1 is Greenhill's column on springs at its corners. Decided by `pyramid` and `stack25`.
inline constexpr double kSlendernessReserve = 0.65;
// m/s, root mean square of an island that is on the move. Points of such an island may sink deeper. Decided by `silo`.
inline constexpr double kMovingSpeed = 0.5;
// times deeper, at most. Decided by `silo`.
inline constexpr double kMostMovingDepth = 4.0;
// layers. A sweep carries a change of load only so far. Decided by `pile`.
inline constexpr double kLayersPerSubstep = 5.5;
// bodies. In an island of so many, a few contacts may sink deeper than the others. Decided by
// SubstepPlan.AFewContactsOfManyMaySinkTwiceAsDeepIfBodiesAreAlike.
inline constexpr int kManyBodies = 64;
// contacts. One of so many may. Decided by `spheres` at rest, decision 12.
inline constexpr int kContactsPerOverloaded = 64;
// times deeper. Decided by `silo`.
inline constexpr double kOverload = 2.0;
// ratio of masses. Beyond it bodies are not alike: a light one under a heavy one needs stiff springs. Decided by
// SubstepPlan.AFewContactsOfManyMaySinkTwiceAsDeepIfBodiesAreAlike.
inline constexpr double kMostMassRatio = 32.0;
// bodies. The most substeps are cheap for so few. Decided by `dominoes`, `engraved`, `falling_roof` and 3 more scenes.
inline constexpr int kFewBodies = 4;
// layers. Taller islands sweep their colours in changing order, or they walk. Decided by `falling_roof`, `silo` and
// `stack25`.
inline constexpr double kTall = 16.0;
// substeps. A need that is larger by less is not answered: switching to and fro would be felt. Decided by `pendulum`.
inline constexpr double kLeeway = 0.25;
// substeps. From so far above the need the number falls four times as fast. Decided by `falling_roof`, `pendulum`,
// `pyramid` and 2 more scenes.
inline constexpr int kFarAbove = 2;
// bodies. If one of so many spins fast, the island gets the most substeps. Decided by `falling_roof` and `pile`.
inline constexpr int kBodiesPerSpinning = 256;
// rad in a step. A body that turns faster, for its shape, is followed within the step. Decided by `falling_roof`,
// `pendulum`, `pile` and `shapes`.
inline constexpr double kFastTurn = 0.05;
// 1/rad: substeps of jointed bodies. No scene is known to depend on half or twice of it: it is a guard for trees that
// turn fast as a whole.
inline constexpr double kSubstepsPerTurn = 5.0;
// 1/rad: of jointed bodies that turn faster than kFastTurn. Decided by `pendulum`.
inline constexpr double kSubstepsPerFastTurn = 100.0;
// of the energy of a joint tree. What turns with less counts for less. Decided by `pendulum`.
inline constexpr double kFeltTurning = 0.01;
// substeps of an island of joint trees alone. Decided by `ball_and_chain` and `pendulum`.
inline constexpr double kLeastOfTrees = 3.0;
// m. Joints that were farther off ask for more substeps than they had. Decided by balls on chains, decision 19.
inline constexpr double kFeltError = 2e-4;
// m, likewise, of joint trees of like masses that touch something. Decided by ragdolls, decision 23.
inline constexpr double kFeltErrorOfTouching = 2e-3;
// substeps of joint trees that touch something, if masses are not alike. Decided by ragdolls with heavy heads, decision
// 23.
inline constexpr double kLeastOfUnlikeTrees = 8.0;
// times as many, at most. Decided by JointTrees.MoreSubstepsWhereJointsAreOff.
inline constexpr double kMostGrowth = 2.0;
// bodies of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kBodyGrain = 64;
// contacts of a piece. Decided by speed.
inline constexpr std::size_t kContactGrain = 128;
// contacts: how far ahead they are prefetched. Decided by speed.
inline constexpr std::size_t kContactsAhead = 8;

}  // namespace cairn::policy::plan

namespace cairn::policy::layout {

// Batches (layout/batch.cpp, soft.cpp).

// bodies of a batch of small islands. With their contacts they fit into the second cache of a processor. Decided by
// speed.
inline constexpr std::uint32_t kBatchBodies = 256;
// batches that are kept for when islands come apart again. Decided by memory.
inline constexpr std::size_t kSpareBatches = 1;
// times the bodies of a batch. Tables that are larger give memory back. Decided by memory.
inline constexpr std::size_t kRoom = 2;
// bodies: room that is always kept. Decided by memory.
inline constexpr std::size_t kSmallRoom = 272;
// contacts. From so many on the widest instructions are worth the slower clock that they bring. Decided by speed.
inline constexpr std::size_t kWideContacts = 256;
// contacts. Asking the time takes as long as solving two of them, so smaller batches do not ask. Decided by speed.
inline constexpr std::size_t kTimedContacts = 128;
// contacts of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kContactGrain = 512;
// bodies of a piece of a parallel loop that numbers them. Decided by speed.
inline constexpr std::size_t kNumberGrain = 256;
// bodies of a piece of a parallel loop that moves free bodies. Decided by speed.
inline constexpr std::size_t kFreeBodyGrain = 64;
// rad. Free rotation is cut into pieces of about this much turning of the spin. Decided by `falling_roof`, `pile` and
// `spinning_bodies`.
inline constexpr double kFreeTurn = 0.02;
// Tables of rows that are larger than needed by one in so many give memory back. Decided by memory.
inline constexpr std::size_t kRowRoomShare = 16;
// blocks of rows: room that is always kept. Decided by memory.
inline constexpr std::size_t kRowRoom = 6;

// Cuts of large islands (layout/split_bodies.cpp, layout/cut_tree.hpp, layout/slabs.hpp).

// bodies. Smaller parts have more contacts between them, and are slower. Decided by speed, decision 12: parts of 128
// were slower.
inline constexpr std::size_t kSmallestPart = 256;
// of the mean. If a part is larger, the island is cut anew: threads would wait for it. Decided by speed, decision 12.
inline constexpr double kMostUneven = 1.15;
// units of a large island. They are what its first cuts leave whole. Decided by speed, decision 13.
inline constexpr std::uint32_t kFewestUnits = 8;
// parts. Lower cuts have too few contacts to fill lanes with. Decided by speed, decision 13.
inline constexpr std::uint32_t kMostPartsOfUnit = 4;
// bodies. Larger islands do not fit into caches, and are cut into slabs. Decided by speed, decision 14.
inline constexpr std::size_t kLargeIsland = 8192;
// cuts within a slab: it is of four parts at least. Decided by speed, decision 14.
inline constexpr int kSlabTimes = 2;
// bodies: a slab is so many thick, so that it touches its neighbours only. Decided by speed, decision 14.
inline constexpr double kSlabBodies = 2.0;
// bodies. One of so many tells how large they are. Decided by speed.
inline constexpr std::size_t kSampled = 16;
// bytes of rows that are likely to stay in the caches: what a wave may have in use at a time. Decided by speed, decision
// 16.
inline constexpr double kCacheBytes = 8.0 * 1024.0 * 1024.0;

// Watched contacts (layout/watched_contacts.cpp).

// of the speculative distance. Contacts closer than this, or closer within a step, are swept. Decided by `falling_roof`
// and `pile`.
inline constexpr double kNearShare = 0.05;
// of that. What joins within a step has come closer than what began it. Decided by `falling_roof` and `pile`.
inline constexpr float kJoinShare = 0.5f;
// rad/s. Slower turning counts for nothing when contacts are ranked. It does when they are checked. Decided by
// `falling_roof`.
inline constexpr float kSlowTurn = 1e-3f;
// substeps. A contact joins if it might meet within so many. Decided by the row of cracked cubes, decision 9.
inline constexpr float kSubstepsAhead = 2.0f;

}  // namespace cairn::policy::layout

namespace cairn::policy::sweep {

// Bodies and resting contacts (sweep/bodies.cpp).

// m. Bodies may move so far before their contacts are brought up to date: half of what a manifold is kept for. Decided
// by `pile`, `pyramid` and `stack25`.
inline constexpr float kRestingPath = 2.5e-4f;
// of the body's size, if that is less. Decided by `falling_roof`, `pile`, `pyramid` and 3 more scenes.
inline constexpr float kRestingPathShare = 2.5e-4f;
// s. In shorter steps the path is shorter in proportion. Else what rolls would be ahead of its contacts by as much
// however short steps are, which is felt as rolling friction. Decided by `falling_roof`, `pile`, `pyramid` and 3 more
// scenes.
inline constexpr double kRestingPathSeconds = 1.0 / 60.0;
// of that path. A body that has gone so far is brought up to date with one of its part that has gone all of it. Decided
// by `falling_roof`, `pile`, `pyramid` and 3 more scenes.
inline constexpr float kRefreshShare = 0.5f;
// anisotropy of moments that single precision hardly tells from those of a ball. Decided by speed: blocks of balls need
// no inertia.
inline constexpr double kRound = 1e-6;
// rad. Quaternions that are shifted by less are not normalised at once. Decided by speed.
inline constexpr double kTinyTurn = 1e-6;
// bodies of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kBodyGrain = 64;
// bodies: how far ahead they are prefetched. Decided by speed.
inline constexpr std::uint32_t kBodiesAhead = 4;

// Contacts and joints (sweep/contacts.cpp, sweep/joints.cpp).

// times the frequency, and the damping ratio over this: springs against what does not move. Decided by `ball_grid`,
// `bounce`, `dominoes` and 9 more scenes.
inline constexpr double kGroundFrequency = 2.0;
// blocks of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kBlockGrain = 4;
// s. In shorter substeps single precision would lose a thousandth of a velocity in a second. Decided by
// tests/papers/soft_order_test.cpp.
inline constexpr double kShortSubstep = 6e-5;
// of the substep rate: the highest frequency of the spring of a joint. No scene depends on it: joints of the gallery are
// solved as trees.
inline constexpr double kJointFrequencyShare = 0.25;
// rad in a substep. The impulse of a joint from before such a turn points anywhere, and is forgotten. No scene is known
// to depend on half or twice of it: it is a guard for joints that close loops and whirl.
inline constexpr double kForgetfulTurn = 0.5;
// of the largest diagonal entry. Keeps redundant joints solvable without being felt. No scene is known to depend on half
// or twice of it: it is a guard for redundant joints.
inline constexpr double kRegularisation = 1e-12;

}  // namespace cairn::policy::sweep

namespace cairn::policy::gain {

// Energy that a step may not gain (gain_limit.cpp).

// m/s, by kinetic energy. Slower islands have nothing to gain. Decided by `falling_roof`, `pyramid` and `tower`.
inline constexpr double kLeastSpeed = 0.02;
// m. Nor have those that overlap less. Decided by the cost at rest, decision 20.
inline constexpr double kLeastDepth = 0.02;
// of the kinetic energy. Smaller gains are those of rounding and integration, which come and go. Decided by the cost at
// rest, decision 20.
inline constexpr double kFeltGain = 1e-6;
// of the kinetic energy, besides what pushing out adds: the gain that islands with joints may have. Joint trees store
// energy for a while. Decided by random worlds with joints, decision 20.
inline constexpr double kMostGainOfJoints = 1.0;
// times that. An island that gains more has come apart, and is put back. Decided by random worlds with joints, decision
// 20.
inline constexpr double kExplosion = 10.0;
// passes. Bodies that cannot pay their share leave it to the others. Decided by `falling_roof`.
inline constexpr int kPasses = 4;
// of the gain. What is left then is not worth a pass. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kSettled = 1e-6;
// bodies of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kBodyGrain = 256;

}  // namespace cairn::policy::gain
