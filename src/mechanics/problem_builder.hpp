// Collects the rows of one island into a contact problem: bodies as they are used, joints, contacts. buildProblems() in
// island_problem.cpp runs one for each island.
#pragma once

#include "mechanics/island_problem.hpp"
#include "mechanics/joint_axis.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_tree_mass.hpp"
#include "mechanics/movers.hpp"
#include "mechanics/swept_manifold.hpp"

namespace cairn {

class ProblemBuilder {
 public:
  ProblemBuilder(const System& system, const WorldSettings& settings, double dt, const Formulation& formulation);

  bool isEmpty() const { return data_.blocks.empty() && held_.empty(); }
  // `numbers`: by body of the system, its number in the problem; -1 before it is used.
  void addJoint(std::uint32_t index, std::vector<int>& numbers);
  // After all joints: those that form trees become part of the masses, if the formulation says so.
  void eliminateTrees();
  void addContact(std::uint32_t slot, std::vector<int>& numbers);
  // Limits, motors and friction of an articulation's joints: problem_articulations.cpp.
  void addArticulation(std::uint32_t mechanism, std::vector<int>& numbers);
  IslandProblem finish(std::string name);

 private:
  using Part = BlockJacobian::Part;

  // Body of the problem, or -1 for one that cannot be moved.
  int use(std::uint32_t index, std::vector<int>& numbers);
  void useArticulation(std::uint32_t mechanism, std::vector<int>& numbers);
  void addDegree(const IslandProblem::Articulated& one, int degree);
  void pushDegree(const IslandProblem::Articulated& one, int degree, AxisForce force, double sign, double speed, double spring,
                  double lower, double upper);
  FreeMovers::Loads loads() const {
    return formulation_.displaces  ? FreeMovers::Loads::Displaced
           : formulation_.unloaded ? FreeMovers::Loads::None
                                   : FreeMovers::Loads::All;
  }
  bool isHeld(std::uint32_t body) const { return formulation_.held && formulation_.held(body); }
  Vec6 ownVelocity(std::uint32_t index) const;
  double before(const Part& part, std::uint32_t body) const { return part.row(0).dot(ownVelocity(body)); }
  double trialSpeed(const Part& part, std::uint32_t body) const;
  double freeSpeed(const Part& part, int number, std::uint32_t body) const;

  // Contacts: problem_contacts.cpp.
  void addPatch(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes, const Vec3& middle,
                const std::vector<int>& normals, const Material& surface);
  void addRolling(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
                  const std::vector<int>& normals, const Material& surface);
  void addDragging(std::uint32_t slot, const Contact& contact, int a, int b, const Mat3& axes,
                   const std::vector<int>& normals, const Material& surface);
  AdaptiveLaw& addLaw(AdaptiveLaw::Kind kind);
  AdaptiveLaw& addBounded(AdaptiveLaw::Kind kind, std::uint32_t slot, const Contact& contact, int a, int b,
                          const Part& partA, const Part& partB, const std::vector<int>& normals);
  bool passedThrough(const Contact& contact, Children children, SweptManifold& swept) const;

  // Joints: problem_joints.cpp.
  void addAxisForces(std::uint32_t index, std::vector<int>& numbers);
  AxisEnd endOf(std::uint32_t body, bool atStart) const;
  double addPenalty(int row, const Vec6& onA, std::uint32_t bodyA, const Vec6& onB, std::uint32_t bodyB, double error,
                    double before);
  void pullAsTheStepBegan(const Joint& joint, std::array<JointRow, kJointRows>& rows, int count) const;

  void push(Block& block, BlockJacobian& jacobian, const Part& partA, std::uint32_t bodyA, const Part& partB,
            std::uint32_t bodyB);
  void pullTogether();
  void fillBounds();
  void writeStart(std::size_t index, Vector& start) const;

  const System& system_;
  const WorldSettings& settings_;
  double dt_;
  const Formulation& formulation_;
  double rescale_ = 0.0;
  ProblemData data_;
  std::vector<double> bias_, driven_, compliance_, lower_, upper_;
  FreeMovers movers_;
  std::vector<JointTreeMass::Held> held_;  // joints of trees, by IslandProblem::eliminated
  std::vector<AxisRow> axisRows_;
  IslandProblem island_;
};

}  // namespace cairn
