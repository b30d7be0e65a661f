// The contact problem of one island at one instant, apart from any world: what a step must solve, what a file holds, and
// what every solver is judged on. docs/contact-problems.md tells it slowly.
//
//   u = u_free + M^-1 J^T lambda          velocities of the bodies after the impulses lambda (N s)
//   v = J u + bias + Gamma lambda         velocities that the rows look at (m/s), v = W lambda + b
//   (v, lambda) obeys the law of each block of rows
//
// with W = J M^-1 J^T + Gamma (1/kg) and b = J u_free + bias.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/exit.hpp"
#include "cairn/math.hpp"

namespace cairn {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

inline constexpr int kMostBlockRows = 6;
using BlockMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMostBlockRows, kMostBlockRows>;
using BlockVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostBlockRows, 1>;

// What the impulses of a block may be, and when. Rows of a contact: normal first, then one (planar) or two tangents.
enum class Law : std::uint8_t {
  Free,      // v = 0, impulses of either sign: joints. 1 to 6 rows.
  Interval,  // per row lower <= lambda <= upper; v >= 0 at lower, v <= 0 at upper, v = 0 between: limits, motors, contacts
             // without friction (0 to infinity). 1 to 6 rows.
  Box,       // lambda_n >= 0 complementary to v_n; |lambda_i| <= mu_i lambda_n, each tangent by itself against its v_i
  Pyramid,   // the same, with lambda_t in the polygon of `facets` corners lambda_n (mu_1 cos a, mu_2 sin a), a = 2 pi
             // k/facets, and lambda_t . v_t least in it (maximum dissipation). facets even, at least 4 (planar: always 2).
  Cone,      // the same, with lambda_t in the ellipse with half-axes mu_1 lambda_n, mu_2 lambda_n: Coulomb's law
};
inline constexpr int kLawCount = 5;
std::string_view nameOf(Law law);
inline bool isContact(Law law) { return law >= Law::Box; }

struct Block {
  Law law = Law::Free;
  int first = 0;                             // row
  int size = 0;                              // rows
  std::array<double, 2> friction{0.0, 0.0};  // mu along the two tangents; contacts only
  int facets = 0;                            // Pyramid only
  int group = 0;                             // index into ProblemData::groupSolvers, for solvers that work group by group
};

// How a block's rows depend on the velocities (linear, angular; world axes) of at most two bodies.
struct BlockJacobian {
  using Part = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor, kMostBlockRows, 6>;
  int a = -1, b = -1;  // bodies of the problem; -1: something that cannot be moved. Never the same body twice.
  Part partA, partB;   // size x 6; empty for -1
};

// M^-1, behind an operator: block-diagonal for free bodies; articulated bodies couple the bodies of a tree.
class InverseMass {
 public:
  virtual ~InverseMass() = default;
  virtual int bodies() const = 0;
  virtual void apply(const Vector& momentum, Vector& velocity) const = 0;      // velocity = M^-1 momentum, 6 numbers a body
  virtual void applyColumns(const Matrix& momenta, Matrix& velocities) const;  // several at once
  virtual bool couplesBodies() const = 0;                                      // whether an impulse on one body moves others
  virtual Mat6 block(int body) const = 0;                                      // diagonal block
  virtual SparseMatrix matrix() const = 0;                                     // all of it
  virtual SparseMatrix factor() const = 0;                                     // F with F F^T = M^-1
};

// Free rigid bodies.
class FreeBodies final : public InverseMass {
 public:
  struct Item {
    double inverseMass = 0.0;            // 1/kg
    Mat3 inverseInertia = Mat3::Zero();  // 1/(kg m^2), world axes
  };
  explicit FreeBodies(std::vector<Item> items);
  int bodies() const override { return static_cast<int>(items_.size()); }
  void apply(const Vector& momentum, Vector& velocity) const override;
  bool couplesBodies() const override { return false; }
  Mat6 block(int body) const override;
  SparseMatrix matrix() const override;
  SparseMatrix factor() const override;
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

// What a ContactProblem is made from. Either bodies (inverseMass, freeVelocity, jacobians) or the matrix itself (delassus).
// Empty vectors mean zeros (upper: infinity).
struct ProblemData {
  std::string name{};
  std::vector<Block> blocks{};              // in the order of their rows, without gaps
  Vector lower{}, upper{};                  // N s, per row; read for Interval rows only
  Vector bias{};                            // m/s, per row; with a given matrix: all of b
  Vector compliance{};                      // Gamma, 1/kg, per row, at least 0
  Vector warmStart{};                       // N s, per row: where a solver may start
  double speedFloor = 0.0;                  // m/s: speeds below it do not count as large; a step takes h |gravity|
  std::vector<std::string> groupSolvers{};  // solver by group, for solvers that work group by group

  std::shared_ptr<const InverseMass> inverseMass{};
  Vector freeVelocity{};                   // u_free, 6 per body
  std::vector<BlockJacobian> jacobians{};  // one per block

  SparseMatrix delassus{};  // W without compliance, rows x rows, possibly a little unsymmetric
};

class ContactProblem {
 public:
  explicit ContactProblem(ProblemData data);       // throws std::invalid_argument naming the field
  ContactProblem(const ContactProblem&) = delete;  // hand it on by reference or shared_ptr: it may be large
  ContactProblem& operator=(const ContactProblem&) = delete;
  ~ContactProblem();

  const ProblemData& data() const { return data_; }  // with the empty vectors filled in
  const std::string& name() const { return data_.name; }
  const std::vector<Block>& blocks() const { return data_.blocks; }
  int rows() const { return rows_; }
  bool hasBodies() const { return data_.inverseMass != nullptr; }
  const Vector& b() const { return b_; }                                     // m/s
  const BlockMatrix& diagonal(int block) const { return diagonal_[block]; }  // W_cc, compliance included
  bool uses(Law law) const;
  bool isSymmetric() const;  // W, to rounding

  // Matrix-free: out = W impulse, and the same plus b.
  void multiply(const Vector& impulse, Vector& out) const;
  Vector velocity(const Vector& impulse) const;
  Vector bodyVelocity(const Vector& impulse) const;  // u after the impulses; needs bodies

  const SparseMatrix& delassus() const;  // W with compliance, assembled when first asked for; safe from many threads
  Matrix denseDelassus() const;

  // The problem of some blocks (ascending) while all others keep their impulses.
  std::unique_ptr<ContactProblem> restricted(std::span<const int> blocks, const Vector& impulse) const;

 private:
  ProblemData data_;
  int rows_ = 0;
  Vector b_;
  std::vector<BlockMatrix> diagonal_;
  mutable std::once_flag assembled_;
  mutable SparseMatrix delassus_;
};

// A problem that a step had, and the impulses that it found.
struct StepProblem {
  std::shared_ptr<const ContactProblem> problem;
  Vector impulse;
};

// How wrong impulses are. Speeds in m/s (angular rows count as they are), whatever the masses: per block the natural map
// e = |l - P(l - rho v)|/rho with rho = 1/(largest eigenvalue of W_cc), friction scaled out, and De Saxce's term for cones.
struct Residual {
  double worst = 0.0;               // m/s, the largest e of any block
  double relative = 0.0;            // worst over the largest |b| or |J u_free| of any block (or the speed floor)
  double energyNorm = 0.0;          // sqrt(sum rho e^2 / sum rho |b|^2)
  double naturalMapRelative = 0.0;  // |l - P(l - rho v)|/|l| with one rho = 1/mean(diag W): Siconos' measure
  double merit = 0.0;               // Erleben eq. 38, (m/s)^2: H = min(l - lo, max(l - hi, v)) with impulses scaled by W_ii
  // Parts of it, m/s, largest over blocks.
  double penetration = 0.0;      // normal velocity into the body
  double complementarity = 0.0;  // a contact that both separates and pushes
  double coneExcess = 0.0;       // impulse outside its set
  double dissipation = 0.0;      // friction that does not oppose the slip as much as it could
  double joint = 0.0;            // rows of Free blocks
  int worstBlock = -1;

  double forTolerance() const { return relative > naturalMapRelative ? relative : naturalMapRelative; }
};
Residual judge(const ContactProblem& problem, const Vector& impulse);

// Work of the impulses, J: lambda . J (u_free + u)/2, by kind of row. The sum is T(u) - T(u_free), exactly.
struct StepEnergy {
  double normal = 0.0, friction = 0.0, joints = 0.0;
  double total() const { return normal + friction + joints; }
};
StepEnergy stepEnergy(const ContactProblem& problem, const Vector& impulse);

struct SolveLimits {
  double tolerance = 1e-8;                  // on Residual::forTolerance()
  int iterations = 0;                       // 0: the solver's own limit
  double milliseconds = 0.0;                // 0: none
  const std::atomic<bool>* stop = nullptr;  // may be raised by another thread: the solve ends soon, with the best it has
};

struct IterationLog {
  struct Entry {
    int iteration;
    double ms;  // time spent judging left out
    Residual residual;
  };
  std::vector<Entry> entries;
};

struct SolveReport {
  Exit exit = Exit::Unsupported;
  int iterations = 0;
  double ms = 0.0;
  Residual residual{};
  std::string message{};  // what went wrong, if something did
};

struct Capabilities {
  std::array<bool, kLawCount> laws{};  // by Law
  bool planarCone = false;             // takes Cone and Pyramid blocks of two rows even if laws says no: they are intervals
  bool finiteIntervals = true;         // false: only [0, infinity) and the like
  bool unsymmetric = true;             // takes an unsymmetric W
  bool compliance = true;
  bool matrixOnly = true;  // takes problems that have no bodies
  int mostRows = 0;        // 0: no limit
  bool has(Law law) const { return laws[static_cast<int>(law)]; }
};

class Monitor;  // src/solvers/monitor.hpp

class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  virtual std::string_view name() const = 0;
  virtual Capabilities capabilities() const = 0;
  // Starts from `impulse` (resized to zeros if it has another size) and leaves the answer there. Converged means that
  // judge() says so. Never throws for anything in the problem, never leaves anything but finite numbers. One object must
  // not be used by two threads at once.
  SolveReport solve(const ContactProblem& problem, const SolveLimits& limits, Vector& impulse, IterationLog* log = nullptr);
  // Empty if the problem can be taken, otherwise why not, naming the law or the property.
  std::string refusal(const ContactProblem& problem) const;

 protected:
  virtual int iterationLimit() const = 0;  // if none was asked for
  virtual Exit iterate(const ContactProblem& problem, Monitor& monitor, Vector& impulse) = 0;
};

// "bgs", or with options: "bgs:local=newton,order=random". Throws std::invalid_argument with what is allowed.
std::unique_ptr<ContactSolver> makeSolver(std::string_view name);
struct SolverInfo {
  std::string_view name;
  std::string_view what;     // one line
  std::string_view options;  // for people: "relaxation=1 (0 to 2), order=natural|random"
};
std::vector<SolverInfo> solverList();
std::vector<std::string_view> solverNames();

}  // namespace cairn
