#pragma once
/// Books of ball joints that hold eliminated bodies together, or to the ground: each body adds what it has in their
/// gaps and speeds.

#include "solvers/books/book_program.hpp"
#include "solvers/condensation/centre_distance.hpp"

#include <vector>

namespace emmy {

struct StepBooks;

class BallJointBooks {
public:
  /// A joint from one end to the other, with multipliers at `row` of the iterate. Returns where its numbers will be.
  int add(const CentreDistances::End& from, const CentreDistances::End& to, int row);
  /// Where numbers may be added that nobody reads; to be asked once all joints are there.
  int nobody() const { return static_cast<int>(joints_) * ball_joint_numbers; }

  /// Numbers of all joints before bodies add theirs.
  double* begin(const BookedStep& step) const;
  /// Enters the largest of them, and what the ground gives.
  void book(const BookedStep& step, BatchBooks& books) const;

private:
  /// A side on the ground.
  struct Support {
    int row;
    double sign; ///< of the point in the constraint
    Vec3 point;
  };
  std::size_t joints_ = 0;
  CentreDistances distances_;
  std::vector<Support> supports_;
  mutable std::vector<double> numbers_ = std::vector<double>(ball_joint_numbers); // of all and of nobody
};

/// Adds what kernels have summed.
void enter(const BatchBooks& sums, StepBooks& books);

} // namespace emmy
