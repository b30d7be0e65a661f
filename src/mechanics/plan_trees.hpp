// Which joints form trees: bodies are nodes, joints are edges. Bodies that cannot be moved do not join trees together; a
// joint to one of them is where a tree is rooted, and the further ones stay it.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/collider.hpp"

namespace cairn {

struct TreePlan {
  struct Edge {
    std::uint32_t joint;
    std::uint32_t a, b;  // nodes, or kNone for a body that cannot be moved; not both
    bool operator==(const Edge&) const = default;
  };
  struct Link {
    std::uint32_t node;
    std::uint32_t joint;   // to its parent; kNone: it floats
    std::uint32_t parent;  // index into the tree's links; kNone: a root
  };
  struct Closure {
    std::uint32_t link;  // index into the tree's links
    std::uint32_t joint;
  };
  struct Tree {
    std::uint32_t firstLink, lastLink, firstClosure, lastClosure;
  };

  // In: edges in the order of preference (those that would close a loop are left out, the last ones first).
  std::vector<Edge> edges;
  // Out. Parents come before their children.
  std::vector<Tree> trees;
  std::vector<Link> links;
  std::vector<Closure> closures;
  std::vector<std::uint32_t> loops;  // joints that would close a loop

  // Quick if nothing has changed since the last time.
  void make(std::uint32_t nodes);

 private:
  void grow(std::uint32_t node, std::uint32_t joint);
  std::uint32_t root(std::uint32_t node);

  std::vector<Edge> madeOf_;  // the edges that all of this was made of
  std::uint32_t madeNodes_ = 0;
  std::vector<std::uint32_t> group_;              // union-find over nodes
  std::vector<std::uint32_t> firstOf_, edgesOf_;  // the edges of every node, in order
  std::vector<char> kept_, placed_;               // edges of trees, nodes that have a link
};

}  // namespace cairn
