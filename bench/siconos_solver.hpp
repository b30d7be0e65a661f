// Siconos (https://nonsmooth.gricad-pages.univ-grenoble-alpes.fr/siconos) on our contact problems, for comparison: cones
// only, all of the same dimension, circular.
#pragma once

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "cairn/contact_problem.hpp"

namespace cairn::siconos {

enum class Method { Nsgs, NewtonAlartCurnier, Lemke };
enum class Storage { Dense, Blocks };  // of W: which is faster depends on the method and the size

struct Result {
  Vector impulse;
  double ms = 0.0;
  int iterations = 0;
  bool finished = false;  // Siconos says that it reached its tolerance
};

// Siconos prints warnings whatever it is told; while this lives they go nowhere.
class Silence {
 public:
  Silence() {
    std::fflush(stdout);
    std::fflush(stderr);
    const int nowhere = open("/dev/null", O_WRONLY);
    for (int i = 0; i < 2; ++i) {
      kept_[i] = dup(i + 1);
      dup2(nowhere, i + 1);
    }
    close(nowhere);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    std::fflush(stdout);
    std::fflush(stderr);
    for (int i = 0; i < 2; ++i) {
      dup2(kept_[i], i + 1);
      close(kept_[i]);
    }
  }

 private:
  int kept_[2];
};

class Problem {
 public:
  Problem(const ContactProblem& problem, Storage storage) : contacts_(static_cast<int>(problem.blocks().size())) {
    numerics_set_verbose(0);
    dimension_ = problem.blocks().front().size;
    const int rows = problem.rows();
    double* q = allocate<double>(rows);
    std::copy(problem.b().data(), problem.b().data() + rows, q);
    double* mu = allocate<double>(contacts_);
    for (int i = 0; i < contacts_; ++i) mu[i] = problem.blocks()[i].friction[0];
    NumericsMatrix* w = nullptr;
    if (storage == Storage::Dense) {
      const Matrix dense = problem.denseDelassus();  // column after column, as Siconos has it
      double* values = allocate<double>(dense.size());
      std::copy(dense.data(), dense.data() + dense.size(), values);
      w = NM_create_from_data(NM_DENSE, rows, rows, values);
    } else {
      w = NM_create_from_data(NM_SPARSE_BLOCK, rows, rows, blocksOf(problem));
    }
    problem_ = frictionContactProblem_new_with_data(dimension_, contacts_, w, q, mu);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() { frictionContactProblem_free(problem_); }

  // From impulses of zero.
  Result solve(Method method, double tolerance, int iterations) {
    const bool planar = dimension_ == 2;
    const int id = method == Method::Nsgs                 ? (planar ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS)
                   : method == Method::NewtonAlartCurnier ? SICONOS_FRICTION_3D_NSN_AC
                                                          : SICONOS_FRICTION_2D_LEMKE;
    SolverOptions* options = solver_options_create(id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    Result result;
    result.impulse = Vector::Zero(dimension_ * contacts_);
    Vector velocity = Vector::Zero(dimension_ * contacts_);
    const Silence silence;
    const auto start = std::chrono::steady_clock::now();
    const int info = planar ? fc2d_driver(problem_, result.impulse.data(), velocity.data(), options)
                            : fc3d_driver(problem_, result.impulse.data(), velocity.data(), options);
    result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    result.finished = info == 0;
    result.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return result;
  }

 private:
  template <class T>
  static T* allocate(std::size_t count) {  // by malloc, since Siconos frees it
    return static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)));
  }

  SparseBlockStructuredMatrix* blocksOf(const ContactProblem& problem) const {
    const int d = dimension_;
    const SparseMatrix& w = problem.delassus();
    std::vector<std::map<int, double*>> rows(contacts_);
    for (int row = 0; row < problem.rows(); ++row)
      for (SparseMatrix::InnerIterator entry(w, row); entry; ++entry) {
        double*& block = rows[row / d][static_cast<int>(entry.col()) / d];
        if (block == nullptr) block = allocate<double>(d * d);
        block[row % d + d * (entry.col() % d)] = entry.value();
      }
    SparseBlockStructuredMatrix* m = SBM_new();
    m->blocknumber0 = m->blocknumber1 = contacts_;
    m->blocksize0 = allocate<unsigned>(contacts_);
    m->blocksize1 = allocate<unsigned>(contacts_);
    m->index1_data = allocate<std::size_t>(contacts_ + 1);
    std::vector<std::pair<int, double*>> all;
    for (int r = 0; r < contacts_; ++r) {
      m->blocksize0[r] = m->blocksize1[r] = d * (r + 1);
      m->index1_data[r] = all.size();
      all.insert(all.end(), rows[r].begin(), rows[r].end());
    }
    m->index1_data[contacts_] = all.size();
    m->filled1 = contacts_ + 1;
    m->filled2 = all.size();
    m->nbblocks = static_cast<unsigned>(all.size());
    m->index2_data = allocate<std::size_t>(all.size());
    m->block = allocate<double*>(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      m->index2_data[i] = all[i].first;
      m->block[i] = all[i].second;
    }
    return m;
  }

  int dimension_ = 3, contacts_;
  FrictionContactProblem* problem_ = nullptr;
};

}  // namespace cairn::siconos
