// Thresholds of joint trees, see policy.hpp.
#pragma once

#include <cstddef>

#include "mechanics/joint_tree.hpp"

namespace cairn::policy::joint_tree {

// A substep (joint_tree/joint_tree_step.cpp, joint_tree/joint_tree_rows.cpp).

// m or rad. Errors up to this size are taken back in one substep. No scene is known to depend on half or twice of it: it
// is a guard.
inline constexpr double kSmallError = 0.01;
// of larger errors: what is taken back in a substep, at least. No scene is known to depend on half or twice of it: it is
// a guard.
inline constexpr double kErrorShare = 0.2;
// m or rad, on the average over the joints of a tree. Smaller errors are left alone. Decided by `ball_and_chain` and
// `pendulum`.
inline constexpr double kLeastError = 1e-5;
// times the errors of the tree together. A correction moves no body farther. Decided by `ball_and_chain`.
inline constexpr double kMostMoved = 4.0;
// rad. A correction turns no body by more. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMostTurned = 0.05;
// of a correction. If less is possible, one with less turning is looked for. Decided by `ball_and_chain`.
inline constexpr double kLeastShare = 0.5;
// rad in a substep. Beyond it arcs are not followed. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMostArc = 0.5;
// m or rad in a substep. Where an error changes by more its curve means nothing: an angle jumped, or the ends of a
// distance joint passed each other. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMostChange = 0.5;
// m/(N s). A softer spring is none. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMostSoftness = 1e30;
// of the geometric stiffness, see joint_tree_step.hpp. Stable from 1/4 on. Decided by `ball_and_chain` and `pendulum`.
inline constexpr double kBeta = 0.5;
// times the load that the inertia was made for. A larger load has snapped, and the substep is solved again. Decided by
// `ball_and_chain`.
inline constexpr double kSnap = 1.5;
// of the inertia. A load whose stiffness is less cannot snap. No scene is known to depend on half or twice of it: it is
// a guard.
inline constexpr double kFeltLoad = 0.1;
// times that a substep is solved again. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr int kMostSnaps = 3;
// of the distance from the centre, or of the moments. Anchors and axes of a rod may be off by what rounding leaves. No
// scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kOffAxis = 1e-12;
// joint trees of a piece of a parallel loop. Decided by speed.
inline constexpr std::size_t kTreeGrain = 4;

// What acts along axes (joint_tree/joint_tree_axes.cpp).

// times that a substep is solved again because a limit, a motor or friction changes sides. Guard: two are common, more than
// four rare.
inline constexpr int kMostLawPasses = 8;
// of the mobility of the two bodies, inverse: compliance of a row that stands for a constant impulse.
inline constexpr double kLoose = 1e9;

// Its energy account (joint_tree/joint_tree_energy.cpp).

// rad in a substep. Slower turns follow their arcs so well that nothing is booked. No scene is known to depend on half
// or twice of it: it is a guard.
inline constexpr double kBookedTurn = 0.02;
// of the kinetic energy. Smaller gains are allowed. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kEnergyRounding = 1e-6;
// s. How long a loss is remembered. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMemory = 2.0;
// of the kinetic energy: the most that is remembered. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kMostSpare = 0.1;

// Its contacts (joint_tree/joint_tree_contacts.cpp).

// sweeps over the contacts of trees of like bodies. Decided by ragdolls, decision 23.
inline constexpr int kSweepsOfAlike = 2;
// likewise, of bodies that are not alike, if they have few contacts. Decided by ragdolls with heavy heads, decision 23.
inline constexpr int kMostSweeps = 50;
// contacts that all sweeps of a pass may visit beyond the first ones. Decided by the cost of a step, decision 23.
inline constexpr int kMostVisits = 128;
// ratio of the masses of a group of trees and what they touch. Beyond it they are not alike. Decided by ragdolls with
// heavy heads, decision 23.
inline constexpr double kMostRatioOfAlike = 32.0;
// m/s. A sweep that changes no velocity by more was the last. Decided by ragdolls, decision 23.
inline constexpr double kSettled = 1e-6;
// N s. Single precision holds it over a step. Larger ones are taken for none. No scene is known to depend on half or
// twice of it: it is a guard.
inline constexpr double kMostImpulse = 1e30;
// of the mobility without joints. A row with less is immobile: what is left is rounding. Decided by random worlds with
// joints, decision 20.
inline constexpr double kLeastMobility = 1e-7;
// likewise, where a body is held twice to what does not move: what is left is the give of the second joint. Decided by
// random worlds with joints, decision 20.
inline constexpr double kLeastMobilityOfClosures = 10.0 / JointTree::kClosureRatio;
// of the energies that are compared. Decided by random worlds with joints, decision 20.
inline constexpr double kContactEnergyRounding = 1e-9;
// of the product of the diagonal. A smaller determinant of the two tangents is taken for zero. No scene is known to
// depend on half or twice of it: it is a guard.
inline constexpr double kSingular = 1e-9;

}  // namespace cairn::policy::joint_tree
