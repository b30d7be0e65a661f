// What the impulses of contacts do to joint trees (joint_tree_contacts.hpp), and how much energy they may add.
#include <algorithm>
#include <cmath>

#include "soft/joint_tree/joint_tree_contacts.hpp"
#include "soft/joint_tree/joint_tree_rows.hpp"

namespace cairn {

using namespace policy::joint_tree;

// The joints ask for what bodies would do by themselves to be undone at their ends.
void JointTreeContacts::ask(Tree& tree, const std::vector<Mover>& movers) {
  static const Vector6 kNone6 = Vector6::Zero();
  const auto freeOf = [&](std::uint32_t link) -> const Vector6& {
    return link == kNone || tree.moverOfLink[link] == kNone ? kNone6 : movers[tree.moverOfLink[link]].free;
  };
  JointTree& joints = *tree.joints;
  for (std::uint32_t i = 0; i < joints.links.size(); ++i) {
    TreeLink& link = joints.links[i];
    const Vector6 &own = freeOf(i), &parent = freeOf(link.parent);
    if (link.kind == Hold::Ball)
      link.questions[kKept].ask =
          parent.head<3>() + parent.tail<3>().cross(link.parentArm) - own.head<3>() - own.tail<3>().cross(link.arm);
    if (link.kind != Hold::Rows) continue;
    RowHold& hold = joints.holds[link.hold];
    for (int k = 0; k < hold.rows; ++k)
      hold.questions[kKept].ask[k] = -(hold.child[k].dot(own) + hold.parent[k].dot(parent));
  }
  for (TreeClosure& closure : joints.closures)
    for (int k = 0; k < closure.hold.rows; ++k)
      closure.hold.questions[kKept].ask[k] = -closure.hold.parent[k].dot(freeOf(closure.link));
}

// What all changes of impulses do.
void JointTreeContacts::pushAll() {
  for (Mover& mover : movers_) mover.impulse.setZero();
  for (const Patch& patch : contacts_) {
    for (const int end : {0, 1}) {
      if (patch.movers[end] == kNone) continue;
      Vector6& impulse = movers_[patch.movers[end]].impulse;
      for (int i = 0; i < patch.rows; ++i) {
        const double change = patch.row[i].impulse - patch.row[i].before;
        if (change != 0.0) impulse += change * side(patch.row[i], end);
      }
    }
  }
  for (Mover& mover : movers_) mover.free = freely(mover, mover.impulse);
  for (std::size_t i = 0; i < treeCount_; ++i) {
    ask(trees_[i], movers_);
    trees_[i].joints->solve(1);
  }
  for (const Mover& mover : movers_) {
    if (mover.place.tree == kNone) continue;
    TreeLink::Question& answer = trees_[mover.place.tree].joints->links[mover.place.link].questions[kKept];
    answer.change += mover.free.head<3>();
    answer.turn += mover.free.tail<3>();
  }
}

// What the impulses did to it, joints and all.
JointTreeContacts::Vector6 JointTreeContacts::movedBy(const Mover& mover) const {
  if (mover.place.tree == kNone) return mover.free;
  const TreeLink::Question& answer = trees_[mover.place.tree].joints->links[mover.place.link].questions[kKept];
  Vector6 moved;
  moved << answer.change, answer.turn;
  return moved;
}

// Sweeps that have not converged may ask for wild motion, where contacts and joints contradict each other. With d the change
// of the impulses and u the rows' velocities, the share s of it changes the kinetic energy by s d.u + s^2 d.W d/2: no more
// of it is taken than adds `most`.
void JointTreeContacts::limitGain(double most) {
  double first = 0.0, second = 0.0;
  for (const Patch& patch : contacts_)
    for (int i = 0; i < patch.rows; ++i) first += (patch.row[i].impulse - patch.row[i].before) * patch.row[i].measured;
  for (const Mover& mover : movers_) second += mover.impulse.dot(movedBy(mover));
  if (!(first + 0.5 * second > most + kContactEnergyRounding * (std::abs(first) + second))) return;
  const double root = std::sqrt(std::max(first * first + 2.0 * second * most, 0.0));
  const double share = std::clamp(first > 0.0 ? 2.0 * most / (first + root) : (root - first) / second, 0.0, 1.0);
  for (Patch& patch : contacts_)
    for (int i = 0; i < patch.rows; ++i)
      patch.row[i].impulse = patch.row[i].before + share * (patch.row[i].impulse - patch.row[i].before);
  pushAll();
}

// Of those that overlap, if each were pushed out as if nothing else held its bodies, or by its own spring.
double JointTreeContacts::pushOutEnergy() const {
  double energy = 0.0;
  for (const Patch& patch : contacts_) {
    for (int p = 0; p < patch.points; ++p) {
      const double gap = std::min(patch.point[p].gap, 0.0);
      const double speed = std::min<double>(-patch.softness.rate * gap, values_.fill.pushOut);
      if (patch.compliance > 0.0) {
        energy += 0.5 * patch.stiffness * gap * gap;
      } else if (speed > 0.0) {
        energy += 0.5 * speed * speed / patch.row[p].freeMobility;
      }
    }
  }
  return energy;
}

// If every point that bounces did so by itself.
double JointTreeContacts::bounceEnergy(double slowest) const {
  double energy = 0.0;
  for (const Patch& patch : contacts_) {
    for (int p = 0; p < patch.points; ++p) {
      const double speed = patch.restitution * patch.point[p].approach;
      if (patch.point[p].approach < -slowest) energy += 0.5 * speed * speed / patch.row[p].freeMobility;
    }
  }
  return energy;
}

void JointTreeContacts::answer(SoftBodies& bodies, double mostGain) {
  // Masses and speeds beyond all reason: rather nothing than that.
  bool isSound = true;
  for (const Patch& patch : contacts_)
    for (int i = 0; i < patch.rows; ++i) isSound &= std::abs(patch.row[i].impulse) < kMostImpulse;
  if (!isSound)
    for (Patch& patch : contacts_)
      for (int i = 0; i < patch.rows; ++i) patch.row[i].impulse = patch.row[i].before;
  pushAll();
  limitGain(mostGain);
  for (const Mover& mover : movers_)
    if (mover.place.tree == kNone) bodies.push(mover.body, mover.free.head<3>(), mover.free.tail<3>());
}

}  // namespace cairn
