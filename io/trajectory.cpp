#include "io/trajectory.hpp"

#include "io/channels/catalogue.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Numbers that are kept of a run: 40 MB.
constexpr long most_numbers = 5'000'000;
constexpr long least_instants = 8;

/// Of a body: position, orientation, velocity, angular velocity; of a source: force, moment.
constexpr std::size_t of_body = 13, of_source = 6;

using In = Eigen::Map<const Vec3>;

/// NaN does not count.
void raise(double& largest, double x) {
  if (x > largest)
    largest = x;
}

double angle_between(const double* a, const double* b) {
  const Quaternion turn = from_wxyz(Eigen::Map<const Vec4>(a)).conjugate() * from_wxyz(Eigen::Map<const Vec4>(b));
  return 2 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
}

} // namespace

Sampling::Sampling(const BuiltModel& built, long steps_of_run) : steps(steps_of_run) {
  const long width = static_cast<long>(of_body * built.bodies.size() + 2 * of_source * built.joints.size()) + 1;
  const long instants = std::max(least_instants, most_numbers / width);
  stride = (steps + instants - 1) / instants;
}

Trajectory::Trajectory(const BuiltModel& built, const Sampling& sampling, long ratio)
    : built_(built), sampling_(sampling), ratio_(ratio), pushes_(built.limits.size(), 0) {
  for (const BuiltJoint& joint : built.joints) {
    sources_.push_back({&joint, false});
    if (joint.drive != nullptr)
      sources_.push_back({&joint, true});
  }
  impulses_.setZero(static_cast<Index>(of_source * sources_.size()));
}

std::size_t Trajectory::width() const {
  return of_body * built_.bodies.size() + of_source * sources_.size();
}

void Trajectory::observe(const Simulation& simulation, long step) {
  if (step == 0)
    return;
  look_at_limits(simulation.integrator().last_step());
  const long coarse = std::min((step + ratio_ - 1) / ratio_, sampling_.steps);
  if (!sampling_.takes(coarse))
    return;
  add_reactions(simulation);
  if (step == coarse * ratio_ || step == simulation.steps_planned())
    write(simulation.state());
}

void Trajectory::look_at_limits(const Step& s) {
  for (std::size_t i = 0; i < pushes_.size(); ++i) {
    const bool pushes = (built_.limits[i]->forces(s).array() > 0).any();
    if (pushes && !pushes_[i] && has_steps_)
      ++impacts_;
    pushes_[i] = pushes;
  }
  has_steps_ = true;
}

void Trajectory::add_reactions(const Simulation& simulation) {
  if (sources_.empty())
    return;
  for (const StepStage& part : simulation.integrator().last_stages()) { // [S19]
    Index first = 0;
    for (const Source& source : sources_) {
      const Reaction reaction = source.is_drive ? source.joint->drive->reaction_on_second(part.step)
                                                : reaction_of(built_, *source.joint, part.step);
      impulses_.segment<3>(first) += part.step.h * reaction.force;
      impulses_.segment<3>(first + 3) += part.step.h * reaction.moment;
      first += static_cast<Index>(of_source);
    }
  }
  span_ += simulation.integrator().last_step().h;
}

void Trajectory::write(const State& state) {
  times_.push_back(state.time);
  const auto append = [&](const auto& v) { numbers_.insert(numbers_.end(), v.data(), v.data() + v.size()); };
  for (const Body* body : built_.bodies) {
    const BodyMotion motion = body->motion(state);
    append(motion.position);
    append(to_wxyz(motion.orientation));
    append(motion.velocity);
    append(motion.angular_velocity);
  }
  append((impulses_ / span_).eval());
  impulses_.setZero();
  span_ = 0;
}

Measures Trajectory::differences(const Trajectory& a, const Trajectory& b, std::size_t instant) {
  Measures largest{};
  const double *p = a.at(instant), *q = b.at(instant);
  for (std::size_t i = 0; i < a.built_.bodies.size(); ++i, p += of_body, q += of_body) {
    raise(largest[position], (In(p) - In(q)).norm());
    raise(largest[rotation], angle_between(p + 3, q + 3));
    raise(largest[velocity], (In(p + 7) - In(q + 7)).norm());
    raise(largest[angular_velocity], (In(p + 10) - In(q + 10)).norm());
  }
  for (std::size_t i = 0; i < a.sources_.size(); ++i, p += of_source, q += of_source) {
    raise(largest[force], (In(p) - In(q)).norm());
    raise(largest[moment], (In(p + 3) - In(q + 3)).norm());
  }
  return largest;
}

Measures Trajectory::magnitudes() const {
  Measures largest{};
  for (std::size_t instant = 0; instant < instants(); ++instant) {
    const double* p = at(instant);
    for (std::size_t i = 0; i < built_.bodies.size(); ++i, p += of_body) {
      raise(largest[position], In(p).norm());
      raise(largest[velocity], In(p + 7).norm());
      raise(largest[angular_velocity], In(p + 10).norm());
    }
    for (std::size_t i = 0; i < sources_.size(); ++i, p += of_source) {
      raise(largest[force], In(p).norm());
      raise(largest[moment], In(p + 3).norm());
    }
  }
  largest[rotation] = largest[angular_velocity] > 0 ? 1 : 0;
  return largest;
}

} // namespace emmy
