// What an articulation is, apart from how it moves: never changed once made.
//
// Links as people describe them become nodes: a node moves against its parent by one joint of one of four kinds. Fixed links
// are part of the node that they are fixed to. Universal, planar and cylindrical joints are two or three nodes in a row, of
// which all but the last are massless. The frame of a node that turns about an axis, or slides along it, has that axis as
// its z, so that the algorithms know it without looking.
#pragma once

#include <vector>

#include "cairn/articulation.hpp"
#include "math/symmetric3.hpp"

namespace cairn {

enum class NodeKind : std::uint8_t { Revolute, Prismatic, Spherical, Free };

struct ArticulationNode {
  int parent = -1;  // another node, earlier; -1: the base
  NodeKind kind = NodeKind::Revolute;
  int q = 0, v = 0;              // where its numbers are
  int wide = -1;                 // of a joint with three or six degrees: its place among those
  Mat3 turn = Mat3::Identity();  // of its frame in the parent node's, at zero
  Vec3 place = Vec3::Zero();     // m, the same
  double mass = 0.0;             // kg, of all links fixed to it
  Vec3 moment = Vec3::Zero();    // kg m, mass times centre of mass, node axes
  Mat3 inertia = Mat3::Zero();   // kg m^2, about its origin, node axes
  int degrees() const { return kind == NodeKind::Spherical ? 3 : kind == NodeKind::Free ? 6 : 1; }
};

struct ArticulationLink {
  int node = -1;                 // that it is fixed to; -1: the base
  int firstNode = -1;            // of its joint; -1: a fixed one
  Mat3 turn = Mat3::Identity();  // of the link's frame in the node's
  Vec3 place = Vec3::Zero();     // m
  int firstQ = 0, firstV = 0;    // of its joint
  MassProperties mass{};
};

class ArticulationModel {
 public:
  // Throws std::invalid_argument naming the link and the field.
  explicit ArticulationModel(const ArticulationDesc& desc);

  const ArticulationDesc& desc() const { return desc_; }
  const std::vector<ArticulationNode>& nodes() const { return nodes_; }
  const std::vector<ArticulationLink>& links() const { return links_; }
  const std::vector<AxisDesc>& axes() const { return axes_; }  // by degree of freedom
  const std::vector<int>& nodeOf() const { return nodeOf_; }   // by degree of freedom
  int positions() const { return positions_; }
  int degrees() const { return static_cast<int>(axes_.size()); }
  int wideNodes() const { return wideNodes_; }
  const Mat3& baseTurn() const { return baseTurn_; }
  const Vec3& basePlace() const { return desc_.base.position; }
  double armature(int degree) const { return axes_[static_cast<std::size_t>(degree)].armature; }
  bool hasValue(int degree) const;   // a number of q belongs to it alone: it may have limits, and a position to be driven to
  int positionOf(int degree) const;  // in q, if it has a value
  void checkAxis(const AxisDesc& axis, int degree) const;  // throws std::invalid_argument naming the field

  Vector neutral() const;                                   // q of zeros and quaternions of no rotation
  void normalise(Vector& q) const;                          // quaternions
  void checkState(const Vector& q, const Vector& v) const;  // throws std::invalid_argument
  // From q along v (m/s, rad/s) for dt; `to` may be q.
  void integrate(const Vector& q, const Vector& v, double dt, Vector& to) const;
  void difference(const Vector& from, const Vector& to, Vector& v) const;

 private:
  void addLink(const LinkDesc& link, int index);
  int addNode(int parent, NodeKind kind, const Pose& placement);
  std::string nameOf(int link) const;

  ArticulationDesc desc_;
  Mat3 baseTurn_;
  std::vector<ArticulationNode> nodes_;
  std::vector<ArticulationLink> links_;
  std::vector<AxisDesc> axes_;
  std::vector<int> nodeOf_;
  int positions_ = 0;
  int wideNodes_ = 0;
};

}  // namespace cairn
