// The shapes that a question sees, from where it asks: both trees of the query index, filters applied.
#pragma once

#include "collision/children.hpp"
#include "world/state.hpp"

namespace cairn {

class QueryWalk {
 public:
  // Brings the index up to date. The filter must outlive this.
  QueryWalk(WorldImpl& impl, const ShapeFilter& accepts) : impl_(impl), accepts_(accepts) {
    impl.queries.refresh(impl.state.system);
  }

  const Collider& collider(std::uint32_t index) const { return impl_.state.system.colliders[index]; }
  Pose pose(std::uint32_t index) const { return poseOf(impl_.state.system, collider(index)); }
  ShapeId shapeId(std::uint32_t index) const { return impl_.shapeIdOf(index); }
  BodyId bodyId(std::uint32_t index) const { return impl_.idOf(collider(index).body); }

  bool sees(std::uint32_t index, std::uint32_t groups) const {
    const Collider& shape = collider(index);
    if (!shape.enabled || (shape.group & groups) == 0) return false;
    return !accepts_ || accepts_(bodyId(index), shapeId(index));
  }

  // Calls visit(collider, enter) for shapes whose box is met by a box of half size `half` that is cast along a unit
  // direction; visit returns the new length.
  template <class Visit>
  void castBox(const Vec3& origin, const Vec3& half, const Vec3& direction, double length, std::uint32_t groups,
               Visit&& visit) const {
    walk(groups, length, visit, [&](const DynamicTree& tree, double limit, auto&& seen) {
      tree.castBox(origin, half, direction, limit, seen);
    });
  }
  // Calls visit(collider, distance) for shapes whose box is nearer to the point than `within`; visit returns the new one.
  template <class Visit>
  void findNear(const Vec3& point, double within, std::uint32_t groups, Visit&& visit) const {
    walk(groups, within, visit,
         [&](const DynamicTree& tree, double limit, auto&& seen) { tree.findNear(point, limit, seen); });
  }
  // Calls visit(collider) for shapes whose box overlaps.
  template <class Visit>
  void query(const Aabb& box, std::uint32_t groups, Visit&& visit) const {
    const QueryIndex& index = impl_.queries;
    impl_.state.system.broad.tree.query(box, [&](std::uint32_t found) {
      if (!index.isStray(found) && sees(found, groups)) visit(found);
    });
    index.strays().query(box, [&](std::uint32_t found) {
      if (sees(found, groups)) visit(found);
    });
  }

 private:
  // Shapes that strayed from their box in the first tree are in the second.
  template <class Visit, class Ask>
  void walk(std::uint32_t groups, double limit, Visit& visit, Ask&& ask) const {
    const QueryIndex& index = impl_.queries;
    ask(impl_.state.system.broad.tree, limit, [&](std::uint32_t found, double enter) {
      if (!index.isStray(found) && sees(found, groups)) limit = visit(found, enter);
      return limit;
    });
    ask(index.strays(), limit, [&](std::uint32_t found, double enter) {
      if (sees(found, groups)) limit = visit(found, enter);
      return limit;
    });
  }

  WorldImpl& impl_;
  const ShapeFilter& accepts_;
};

// Calls answer(i) for i below count, over the world's threads; if another question has these, alone.
template <class Answer>
void answerAll(WorldImpl& impl, std::size_t count, Answer&& answer) {
  constexpr std::size_t kQuestionGrain = 16;
  const std::unique_lock lock(impl.queryTasks, std::try_to_lock);
  const Tasks alone;
  const Tasks& tasks = lock.owns_lock() ? impl.tasks : alone;
  tasks.enter([&] {
    tasks.parallelFor(count, kQuestionGrain, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) answer(i);
    });
  });
}

}  // namespace cairn
