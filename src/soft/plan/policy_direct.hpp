// Thresholds of islands that are solved directly, see policy.hpp.
#pragma once

namespace cairn::policy::direct {

// Which islands are solved directly (plan/direct_choice.cpp).

// bodies. The matrix of a larger island costs more than sweeps. Decided by speed, decision 17.
inline constexpr int kMostBodies = 128;
// contacts, likewise. Decided by speed, decision 17.
inline constexpr int kMostContacts = 512;
// steps. An island stays direct for so many after the need is gone. Decided by decision 17.
inline constexpr int kStepsDirect = 10;
// of the need. So much is enough to stay direct. Decided by decision 17.
inline constexpr double kStaysDirect = 0.5;
// times the weight of its bodies. A contact that bears more is too much for sweeps. Decided by
// DirectIsland.StacksStandWhateverTheMasses.
inline constexpr double kMostBurden = 100.0;
// of the load. So much on contacts that lean makes a house of cards. Decided by houses of cards against rubble, decision
// 17.
inline constexpr double kLeaning = 0.125;
// of the most friction that there could be. A contact with less does not lean. Decided by `card_house`.
inline constexpr float kLeansFrom = 0.4f;
// of the most friction. A contact with more slides, and does not lean. Decided by
// DirectIsland.CardsStandIfFrictionIsMoreThanTheTangentOfTheirLean.
inline constexpr float kLeansTo = 0.98f;
// points of a contact that carry something: at least so many on the average, if bodies stand on edges. Decided by
// `card_house`.
inline constexpr double kLeastEdge = 1.5;
// points, at most so many. Decided by `card_house`.
inline constexpr double kMostEdge = 2.5;
// points of a contact. With more, most bodies stand on faces, and none on edges. Decided by `card_house`.
inline constexpr double kBroad = 3.8;
// m/s, root mean square. Faster islands are not at rest. Decided by decision 17.
inline constexpr double kResting = 0.05;
// m. Narrower gaps count as closed, in islands whose loads are not known. No scene is known to depend on half or twice
// of it: it is a guard.
inline constexpr float kAllButClosed = 1e-3f;

// How they are solved (direct/direct_island.cpp, direct/direct_newton.cpp).

// substeps of an island that moves. At rest one is enough. No scene is known to depend on half or twice of it: it is a
// guard.
inline constexpr int kSubstepsOfMoving = 4;
// steps. An island moves if a body is faster than gravity makes it in so many. No scene is known to depend on half or
// twice of it: it is a guard.
inline constexpr double kStepsOfGravity = 4.0;
// of the depth that contacts are allowed. Under the weight of the whole island a contact sinks so far. Decided by
// `card_house` and `mass_ratio`.
inline constexpr double kDepthShare = 0.02;
// rounds. In each the limits of friction are held while velocities converge. Decided by `card_house`.
inline constexpr int kMostRounds = 12;
// iterations of a round. Decided by `card_house`.
inline constexpr int kMostOfRound = 12;
// iterations with a new matrix, on the average. What is not needed is saved up. Decided by speed, decision 17.
inline constexpr int kIterationsPerStep = 24;
// iterations that are saved up. The first step of a house of cards takes some hundred, while it stands none. Decided by
// speed, decision 17.
inline constexpr int kMostIterations = 400;
// halvings of a step of the line search. Decided by `card_house`.
inline constexpr int kMostHalvings = 10;
// steps. An island that did not converge is swept for so many. Decided by speed, decision 17.
inline constexpr int kPause = 10;
// of the slope: the decrease of energy that the line search asks for. No scene depends on it: the usual constant of line
// searches.
inline constexpr double kArmijo = 1e-4;
// of the speed that gravity gives in a substep. Decided by `card_house` and `mass_ratio`.
inline constexpr double kTolerance = 1e-5;
// m/s. Where there is no gravity. No scene is known to depend on half or twice of it: it is a guard.
inline constexpr double kLeastTolerance = 1e-9;
// tolerances. What may be left when iterations come to an end. No scene is known to depend on half or twice of it: it is
// a guard.
inline constexpr double kGoodEnough = 3000.0;
// of the speed that gravity gives. A push out of a penetration that is slower is not taken back. Decided by speed: a
// second solve.
inline constexpr double kGentle = 0.1;
// N s: a limit of friction that holds everything. It stands for infinity.
inline constexpr double kNoLimit = 1e100;

}  // namespace cairn::policy::direct
