#pragma once
/// Bodies and joints as kernels of rates see them: all that does not change while a model moves.

#include "core/model_parts.hpp"
#include "solvers/batches/kernel_options.hpp"
#include "solvers/integrators/explicit/rigid_joint.hpp"
#include "solvers/rates/rate_program.hpp"

#include <vector>

namespace emmy {

class RateTables {
public:
  RateTables(const RigidSystem& system, const std::vector<const Interaction*>& joints, const KernelOptions& options);
  RateTables(const RateTables&) = delete;

  /// Where a joint stands among others.
  struct Place {
    std::size_t group;
    int pack, lane;
  };
  struct Joint {
    const Interaction* element;
    Place place;
    int rows;
    std::vector<int> bodies; ///< of its sides; one beyond the last is the ground
    std::vector<int> V;      ///< where V of these is
    Index part;
  };
  /// Joints of one kind; without a finder each is evaluated by itself.
  struct Group {
    const RateFinder* finder;
    std::vector<std::size_t> joints;
    std::vector<int> bodies, values, V;
    std::vector<double> inertia, roots, vectors, numbers;
    RateGroup program;
  };
  /// A frame, and where its rates are in a State.
  struct Frame {
    int body;
    Index rate;
  };

  const RigidSystem& system() const { return system_; }
  const RateKernels& kernels() const { return kernels_; }
  int bodies() const { return static_cast<int>(system_.size()); }
  const std::vector<Frame>& frames() const { return frames_; }
  const std::vector<std::size_t>& unlike_frames() const { return unlike_frames_; } ///< bodies
  const std::vector<double>& inertia() const { return inertia_; }
  const std::vector<Joint>& joints() const { return joints_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Joints with the ground that a kernel knows.
  const std::vector<std::size_t>& grounded() const { return grounded_; }
  Index rows() const { return rows_; } ///< numbers in a vector of rows
  int gradients() const { return gradients_; }
  int numbers_of_V() const { return numbers_of_V_; }
  Index parts() const { return parts_; }
  const std::vector<Index>& part_of_body() const { return part_of_body_; }
  bool has_targets() const { return has_targets_; } ///< some rows depend on time

  /// The first number of a joint in a vector of rows; the next ones are rate_lanes apart.
  Index row(const Joint& joint) const {
    const RateGroup& group = groups_[joint.place.group].program;
    return group.first + rate_lanes * (joint.place.pack * group.rows) + joint.place.lane;
  }
  /// The same of one side in G, row by row.
  std::size_t gradient(const Joint& joint, int side) const {
    const RateGroup& group = groups_[joint.place.group].program;
    return static_cast<std::size_t>(group.gradients + joint.place.lane +
                                    6 * rate_lanes * group.rows * (joint.place.pack * group.sides + side));
  }

  /// Of every row, its number in a vector of rows, its multiplier in a State, and its part of the model.
  struct Row {
    int number, multiplier, part;
  };
  const std::vector<Row>& every_row() const { return every_row_; }

private:
  void take_bodies();
  Group& group_of(const RateFinder* finder, int rows, int sides);
  void take(const Interaction& joint);
  const RateFinder* finder_of(const Interaction& joint, Index (&ports)[2]) const;
  void fill_up(Group& group);

  const RigidSystem& system_;
  const RateKernels& kernels_;
  std::vector<bool> is_frame_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> unlike_frames_, grounded_;
  std::vector<double> inertia_;
  std::vector<Joint> joints_;
  std::vector<Group> groups_;
  std::vector<Index> part_of_body_;
  std::vector<Row> every_row_;
  Index rows_ = 0, parts_ = 0;
  int gradients_ = 0, numbers_of_V_ = 0;
  bool has_targets_ = false;
};

} // namespace emmy
