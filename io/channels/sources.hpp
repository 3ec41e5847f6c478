#pragma once
/// What the files that make channels share.

#include "io/channels/catalogue.hpp"

#include <initializer_list>
#include <limits>

namespace emmy {

/// Reactions and accelerations are means over the step that ended: there are none at the start, nor where the last
/// attempt failed.
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Writes numbers one after the other.
class Numbers {
public:
  explicit Numbers(double* next) : next_(next) {}
  Numbers& operator<<(double x) {
    *next_++ = x;
    return *this;
  }
  Numbers& operator<<(const Vec3& v) { return *this << v[0] << v[1] << v[2]; }

private:
  double* next_;
};

/// Up to six numbers that a step has.
using StepNumbers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

/// Their mean over the parts of the step [S19].
template <class Of>
StepNumbers mean_over_step(const Moment& m, Index size, Of of) {
  if (!m.has_reactions)
    return StepNumbers::Constant(size, no_number);
  StepNumbers sum = StepNumbers::Zero(size);
  for (const StepStage& part : m.parts)
    sum += part.share * StepNumbers(of(part.step));
  return sum;
}

using Sources = std::vector<ChannelSource>;
void add_body_sources(const BuiltModel& built, const deck::Output& output, Sources& to);
void add_joint_sources(const BuiltModel& built, Sources& to);
void add_spring_sources(const BuiltModel& built, Sources& to);
void add_limit_sources(const BuiltModel& built, Sources& to);
void add_contact_sources(const BuiltModel& built, const ContactLog* contacts, Sources& to);
void add_point_sources(const BuiltModel& built, Sources& to);
void add_ledger_sources(const BuiltModel& built, Sources& to);

} // namespace emmy
