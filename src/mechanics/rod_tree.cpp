#include "mechanics/rod_tree.hpp"

namespace cairn {

namespace {

// S v, for S as a rod keeps it.
struct Answer {
  Two xy;
  double z;
};
[[gnu::always_inline]] inline Answer times(Two xxXy, Two xzYz, Two yyZz, const Vec3& v) {
  const Two xyYy{xxXy[1], yyZz[0]};
  const Two part = xzYz * Two{v.x(), v.y()};
  return {xxXy * both(v.x()) + xyYy * both(v.y()) + xzYz * both(v.z()), sum(part) + yyZz[1] * v.z()};
}

// U^-1 of pairs.
struct Mix {
  Two own, other;
  Two operator()(Two pair) const { return own * pair - other * both(pair[0]); }
};
[[gnu::always_inline]] inline Mix mixOf(const RodLink& rod) {
  return {Two{1.0, rod.turning[0]}, Two{0.0, rod.turningCross}};
}

// As in Cholesky3: where rounding leaves no pivot a share of the trace takes its place. Returns the second pivot, T_ee det
// T.
[[gnu::noinline, gnu::cold]] double mend(RodLink& rod, double least) {
  const double cross = rod.turningCross;
  rod.turning[0] = std::max(rod.turning[0], least);
  const double determinant = std::max(rod.turning[0] * rod.turning[1] - cross * cross, rod.turning[0] * least);
  return std::max(rod.turning[0] * determinant, std::numeric_limits<double>::min());
}

// The matrices, and those of the parent with it.
[[gnu::always_inline]] inline void eliminate(RodLink& rod, bool isHeld, RodLink* parent) {
  constexpr double kLeastPivot = 1e-15;
  const double first = rod.turning[0];
  const double determinant = first * rod.turning[1] - rod.turningCross * rod.turningCross;
  const double least = std::max(kLeastPivot * sum(rod.turning), std::numeric_limits<double>::min());
  double second = first * determinant;
  // Nothing waits for this to be answered.
  if (!(first >= least && determinant >= first * least && second >= std::numeric_limits<double>::min())) [[unlikely]]
    second = mend(rod, least);
  const Two inverse = both(1.0) / Two{rod.turning[0], second};
  const Mix mix = mixOf(rod);
  const Two bx = mix(rod.alongX), by = mix(rod.alongY), bz = mix(rod.alongZ);
  const Two xxXy = rod.xxXy - sums(bx * bx * inverse, bx * by * inverse);
  const Two xzYz = rod.xzYz - sums(bx * bz * inverse, by * bz * inverse);
  const Two yyZz = rod.yyZz - sums(by * by * inverse, bz * bz * inverse);
  rod.inverse = inverse;
  rod.alongX = bx * inverse;
  rod.alongY = by * inverse;
  rod.alongZ = bz * inverse;
  rod.swayX = mix(rod.x);
  rod.swayY = mix(rod.y);
  rod.swayZ = mix(rod.z);
  rod.xxXy = xxXy;
  rod.xzYz = xzYz;
  rod.yyZz = yyZz;
  if (!isHeld) rod.root = Cholesky3::of({xxXy[0], yyZz[0], yyZz[1], xxXy[1], xzYz[0], xzYz[1]});
  if (parent == nullptr) return;
  const Two ux = parent->x, uy = parent->y, uz = parent->z;
  const Two xx = both(xxXy[0]), xy = both(xxXy[1]), xz = both(xzYz[0]);
  const Two yy = both(yyZz[0]), yz = both(xzYz[1]), zz = both(yyZz[1]);
  const Two sx = xx * ux + xy * uy + xz * uz;
  const Two sy = xy * ux + yy * uy + yz * uz;
  const Two sz = xz * ux + yz * uy + zz * uz;
  const double square = rod.offset * rod.offset;
  const Two offset = both(rod.offset);
  parent->xxXy += xxXy;
  parent->xzYz += xzYz;
  parent->yyZz += yyZz;
  parent->turning += both(square) * (ux * sx + uy * sy + uz * sz);
  parent->turningCross += square * (ux[0] * sx[1] + uy[0] * sy[1] + uz[0] * sz[1]);
  parent->alongX -= offset * sx;
  parent->alongY -= offset * sy;
  parent->alongZ -= offset * sz;
}

// What pushes on it, and through it on its parent. The first two numbers of pushTurn are about e and f.
[[gnu::always_inline]] inline void pushBack(const RodLink& rod, TreeLink::Question& at, const RodLink* parent,
                                            TreeLink::Question* parentAt) {
  const Two turn = mixOf(rod)(load(at.pushTurn.data()));
  const Two xy = load(at.push.data()) - sums(rod.alongX * turn, rod.alongY * turn);
  const double z = at.push.z() - sum(rod.alongZ * turn);
  store(at.pushTurn.data(), turn * rod.inverse);
  store(at.push.data(), xy);
  at.push.z() = z;
  if (parent == nullptr) return;
  const Answer asked = times(rod.xxXy, rod.xzYz, rod.yyZz, at.ask);
  const Two pushXy = xy - asked.xy;
  const double pushZ = z - asked.z;
  const Two across = parent->x * both(pushXy[0]) + parent->y * both(pushXy[1]) + parent->z * both(pushZ);
  store(parentAt->push.data(), load(parentAt->push.data()) + pushXy);
  parentAt->push.z() += pushZ;
  store(parentAt->pushTurn.data(), load(parentAt->pushTurn.data()) - both(rod.offset) * across);
}

// Leaves in pushTurn what the turn adds to the velocity a metre along the axis.
[[gnu::always_inline]] inline void move(const RodLink& rod, bool isHeld, TreeLink::Question& at,
                                        const TreeLink::Question* parentAt) {
  Vec3 twist;
  if (isHeld) {
    twist = at.ask;
    if (parentAt != nullptr) twist += parentAt->twist + rod.offset * parentAt->pushTurn;
    const Answer pull = times(rod.xxXy, rod.xzYz, rod.yyZz, twist);
    store(at.impulse.data(), pull.xy - load(at.push.data()));
    at.impulse.z() = pull.z - at.push.z();
  } else {
    twist = rod.root.solve(at.push);
  }
  const Two turn =
      load(at.pushTurn.data()) - rod.alongX * both(twist.x()) - rod.alongY * both(twist.y()) - rod.alongZ * both(twist.z());
  const Two swingXy = -sums(rod.swayX * turn, rod.swayY * turn);
  const double swingZ = -sum(rod.swayZ * turn);
  // About e and f it turns by U^-T turn; e and f are -v and u.
  const Two crossed{rod.turning[0] * turn[1], rod.turningCross * turn[1] - turn[0]};
  store(at.turn.data(), sums(rod.x * crossed, rod.y * crossed));
  at.turn.z() = sum(rod.z * crossed);
  store(at.change.data(), Two{twist.x(), twist.y()} - both(rod.reach) * swingXy);
  at.change.z() = twist.z() - rod.reach * swingZ;
  at.twist = twist;
  store(at.pushTurn.data(), swingXy);
  at.pushTurn.z() = swingZ;
}

}  // namespace

template <int kCount, bool kAnew>
void RodTree::eliminateAndMove(std::vector<TreeLink>& links) {
  for (TreeLink& link : links) {
    for (int q = 0; q < kCount; ++q) {
      link.questions[q].push.setZero();
      link.questions[q].pushTurn.setZero();
    }
  }
  for (std::size_t i = links.size(); i-- > 0;) {
    TreeLink& link = links[i];
    RodLink* parent = link.parent != kNone ? &rods[link.parent] : nullptr;
    if (kAnew) eliminate(rods[i], link.kind == Hold::Ball, parent);
    for (int q = 0; q < kCount; ++q)
      pushBack(rods[i], link.questions[q], parent, parent != nullptr ? &links[link.parent].questions[q] : nullptr);
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    TreeLink& link = links[i];
    for (int q = 0; q < kCount; ++q)
      move(rods[i], link.kind == Hold::Ball, link.questions[q],
           link.parent != kNone ? &links[link.parent].questions[q] : nullptr);
  }
}

void RodTree::factorAndSolve(std::vector<TreeLink>& links, int questions) {
  questions == 1 ? eliminateAndMove<1, true>(links) : eliminateAndMove<2, true>(links);
}

void RodTree::solve(std::vector<TreeLink>& links, int questions) {
  questions == 1 ? eliminateAndMove<1, false>(links) : eliminateAndMove<2, false>(links);
}

}  // namespace cairn
