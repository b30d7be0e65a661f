// Restitution as impacts of their own, which never raise the energy of their island.
//
// A contact that closes within a step ends it exactly touching, as if it were plastic; the bounce follows where the step
// ends, with the velocity from before the contact closed (Anitescu eq. 4.10: L = e v_n, v_n negative), and so the speed
// after an impact is right for every h. The impact has a problem without loads:
//
//   0 <= lambda_n  ⟂  J_n u+ + f e v_n >= 0,  with friction;   v_n^2 = (J_n u-)^2 + 2 a_n g,  a_n by loads
//
// The factor f is 1 unless the energy of the island would be above what it had when the step began plus the work of drives,
// springs, forces and kinematic bodies on it. Then it is the largest one, found by halving, for which it is not. What other
// islands do does not matter.
#pragma once

#include <unordered_map>

#include "mechanics/solve_islands.hpp"

namespace cairn {

class Bounces {
 public:
  // A step, or part of one, begins with the bodies as they are now.
  void begin(const System& system);
  // For Formulation::normalBias, of every contact, with its gap when the step began. Impacts slower than `tolerance` (m/s)
  // do not bounce.
  void see(const ContactTerms& contact, double tolerance);
  // What a solve of the step found, before or after bodies moved: which contacts closed, and who did work.
  void note(const System& system, const std::vector<IslandProblem>& islands, const std::vector<Vector>& impulses);
  // Contacts that closed bounce, bodies and colliders being where the step ends.
  void land(StepContext& context, Law law, const SolverSettings& solver, double dt);
  // Adds the impulses of all bounces to those that contacts and joints have.
  void store(System& system) const;

 private:
  struct Meeting {
    double tolerance = 0.0;  // m/s
    double load = 0.0;       // m^2/s^2: what loads add to the square of the speed until it touches; negative if they part
    bool pressed = false;
  };
  struct Bounce {
    IslandProblem island;
    Vector impulse;
  };
  const Meeting* closed(const ContactKey& key) const;
  std::vector<std::vector<std::uint32_t>> islandsThatBounce(const System& system) const;

  std::vector<Body> start_;
  std::unordered_map<ContactKey, Meeting, ContactKeyHash> meetings_;
  std::vector<double> work_;  // J, by island: of what is outside it
  std::vector<Bounce> done_;
  IslandSolver solver_;
  bool anyClosed_ = false;
};

}  // namespace cairn
