#pragma once
/// Newton's increments with all bodies eliminated onto the wrenches of their joints, four at a time: see
/// wrench_program.hpp. A linear solver of its own beside the whole matrix, for parts of a model that consist of frame
/// bodies with weights, loads and joints of coincident points. Increments and residuals are numbered as there; other
/// rows are left as they are.

#include "solvers/batches/kernel_options.hpp"
#include "solvers/condensation/centre_distance.hpp"
#include "solvers/condensation/wrench_program.hpp"
#include "solvers/linear/block_solver.hpp"

#include <vector>

namespace emmy {

class WrenchSystem {
public:
  static constexpr int ground = -1; ///< as a body of a joint

  struct Body {
    Index value, rate;   ///< of its node in State
    int load;            ///< its number in BodyLoads, -1: none
    int row_x, row_turn; ///< of its equations in the whole matrix
    double mass;
    Mat3 J;
    Vec3 weight;
  };
  /// A side of a joint.
  struct End {
    int body; ///< as it was added
    Vec3 at;  ///< its point, from the centre in body components; on the ground, where it is
  };
  struct Joint {
    const char* name; ///< of its equations
    int multipliers;
    int row; ///< of the first of them in the whole matrix
    End end[2];
    std::vector<Vec3> directions; ///< that stay perpendicular, in the order of the equations, body components
  };

  /// True if joints of this name transmit moments here.
  static bool takes(const char* name);

  /// Of bodies with most_wrench_ports joints at most, ball joints and those that are taken. The whole has so many rows.
  WrenchSystem(const std::vector<Body>& bodies, const std::vector<Joint>& joints, const BodyLoads& loads, Index rows,
               double mean_mass, const KernelOptions& options);

  /// Evaluates everything at an iterate of the whole, which has room behind its end, with or without the tangent.
  void evaluate(const WrenchEvaluation& e, const double* lost, bool tangent);
  /// Takes any right side b of the whole matrix, with room behind its end, in place of the residual.
  void reduce(const double* b);

  /// Factorises, with -epsilon scale_of_row[i] added for multiplier i of the whole matrix: the proximal block [S4] but
  /// for terms of the order of epsilon².
  void factorise(double epsilon, const double* scale_of_row);
  /// Solution of the whole; dx has room behind its end.
  void solve(double* dx);
  /// The same, refined once without the proximal block; returns the change of dx by that. The first right side has
  /// -epsilon S mu besides, if multipliers mu of an iterate x of the whole are given: what they do to no body then ends
  /// at zero [S20].
  Eigen::Map<const VecX> solve_refined(const double* x, double* dx);

private:
  struct alignas(32) Four { ///< begins a pack
    double numbers[4];
  };
  struct BodyTables {
    int moments, ports;
    std::vector<WrenchBodyPlace> places;
    std::vector<Four> constants, kept;
  };
  struct JointTables {
    const WrenchJointKernels* kernels;
    std::vector<const Joint*> joints; ///< while tables are filled
    std::vector<WrenchJointPlace> places;
    std::vector<Four> vectors, kept;
  };
  struct Port { ///< a side of a joint, as its body sees it
    int joint, side;
  };
  struct Rows {           ///< of a joint
    int row, multipliers; ///< in the whole matrix
    int slot;             ///< in the right side
    int solution, size;   ///< in the matrix of wrenches
  };
  struct Multiplier {
    int row;          ///< in the whole matrix
    int at;           ///< its diagonal in the matrix of wrenches
    int solution;     ///< its row there
    double block = 0; ///< epsilon times its scale
  };

  void add_joints(const std::vector<Joint>& joints, const std::vector<Body>& bodies);
  void add_bodies(const std::vector<Body>& bodies, const std::vector<Joint>& joints, double mean_mass);
  void fill(BodyTables& tables, const std::vector<std::vector<Port>>& ports, const std::vector<std::size_t>& chosen,
            const std::vector<Body>& bodies, const std::vector<Joint>& joints, double mean_mass) const;
  WrenchBodyPlace nowhere(const Body& like) const;
  int diagonal(int joint, int row) const;
  void expand_forces(const double* solution, double* dx) const;

  const WrenchKernels* kernels_;
  Index rows_; // of the whole matrix
  BlockMatrix matrix_;
  BlockSolver solver_;
  CentreDistances distances_;
  std::vector<Multiplier> multipliers_;
  std::vector<int> free_rows_; // diagonals of rows without a multiplier
  std::vector<Rows> joints_;
  std::vector<int> moment_of_; // number among joints that transmit moments, -1: it does not
  int moments_ = 0;
  std::vector<double> poses_, moments_of_joints_, rows_of_moments_;
  std::vector<BodyTables> bodies_;
  std::vector<JointTables> groups_;
  std::vector<WrenchBodies> body_program_;
  std::vector<WrenchJoints> joint_program_;
  WrenchProgram program_{};
  VecX given_;             // right side, while it is solved for
  VecX solution_, change_; // with room behind the end
  VecX moved_;             // change of the whole, likewise
};

} // namespace emmy
