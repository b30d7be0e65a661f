// A Gauss-Seidel pass, for any form of the velocities (velocity_form.hpp) and any step of one block:
//
//   Step::update(c, q, lambda, damping)   new impulses of block c, given v_c = q + W_cc lambda_c
//   Step::weight()                        W_ii of all rows
//
// Each block sees the newest impulses of all others. What is chosen while it runs is chosen by templates: there is one
// virtual call a sweep.
#pragma once

#include "solvers/sweep.hpp"
#include "solvers/velocity_form.hpp"

namespace cairn {

struct Damping {
  double relaxation = 1.0;
  double regularisation = 0.0;
};

template <class Form, class Step, int kRows>
class GaussSeidel final : public Sweeper {
 public:
  GaussSeidel(const ContactProblem& problem, const SweepOrder& order, Step step)
      : rows_(problem), form_(problem), step_(std::move(step)), order_(order, static_cast<int>(problem.blocks().size())) {}

  void start(const Vector& impulse) override {
    form_.start(impulse);
    sweeps_ = 0;
  }
  Vector& state() override { return form_.state(); }
  void damp(double relaxation, double regularisation) override { damping_ = {relaxation, regularisation}; }

  SweepChange sweep(Vector& impulse) override {
    if (++sweeps_ % kSweepsBetweenStarts == 0) form_.start(impulse);
    double* lambda = impulse.data();
    const double* weight = step_.weight().data();
    SweepChange total;
    for (const int c : order_.next()) {
      const int first = rows_.first(c), size = rows_.size(c);
      double q[kRows > 0 ? kRows : kMostBlockRows], delta[kRows > 0 ? kRows : kMostBlockRows];
      form_.offset(c, lambda, q);
      for (int r = 0; r < size; ++r) delta[r] = lambda[first + r];
      step_.update(c, q, lambda + first, damping_);
      double change = 0.0;
      for (int r = 0; r < size; ++r) {
        const double now = lambda[first + r];
        delta[r] = now - delta[r];
        change += weight[first + r] * delta[r] * delta[r];
        total.size += weight[first + r] * now * now;
      }
      total.change += change;
      if (change != 0.0) form_.change(c, delta);
    }
    return total;
  }

 private:
  static constexpr int kSweepsBetweenStarts = 256;  // rounding in the state grows like the square root of that

  BlockRows<kRows> rows_;
  Form form_;
  Step step_;
  BlockOrder order_;
  Damping damping_;
  int sweeps_ = 0;
};

}  // namespace cairn
