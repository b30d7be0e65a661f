// The joints of each body, as doubly linked lists: a body that goes takes its joints along without a look at all others.
#pragma once

#include <vector>

#include "dynamics/joint.hpp"

namespace cairn {

class JointEnds {
 public:
  void link(std::uint32_t joint, std::uint32_t a, std::uint32_t b) {
    if (ends_.size() < 2 * (std::size_t{joint} + 1)) ends_.resize(2 * (std::size_t{joint} + 1));
    linkEnd(2 * joint, a);
    linkEnd(2 * joint + 1, b);
  }
  void unlink(std::uint32_t joint, std::uint32_t a, std::uint32_t b) {
    unlinkEnd(2 * joint, a);
    unlinkEnd(2 * joint + 1, b);
  }
  // Joints of a body, in the order of their indices.
  std::vector<std::uint32_t> of(std::uint32_t body) const {
    std::vector<std::uint32_t> joints;
    for (std::uint32_t end = body < first_.size() ? first_[body] : kNone; end != kNone; end = ends_[end].next)
      joints.push_back(end / 2);
    std::sort(joints.begin(), joints.end());
    return joints;
  }

 private:
  struct End {
    std::uint32_t previous = kNone, next = kNone;
  };
  void linkEnd(std::uint32_t end, std::uint32_t body) {
    if (first_.size() <= body) first_.resize(std::size_t{body} + 1, kNone);
    ends_[end] = {kNone, first_[body]};
    if (first_[body] != kNone) ends_[first_[body]].previous = end;
    first_[body] = end;
  }
  void unlinkEnd(std::uint32_t end, std::uint32_t body) {
    const End& one = ends_[end];
    (one.previous != kNone ? ends_[one.previous].next : first_[body]) = one.next;
    if (one.next != kNone) ends_[one.next].previous = one.previous;
  }

  std::vector<std::uint32_t> first_;  // by body
  std::vector<End> ends_;             // 2 * joint: of its body a, 2 * joint + 1: of b
};

}  // namespace cairn
