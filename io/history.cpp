#include "io/history.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

template <class T>
std::vector<const T*> select(const std::vector<const T*>& all, const deck::Selection& selection) {
  if (selection.all)
    return all;
  std::vector<const T*> chosen;
  for (const std::string& name : selection.names)
    for (const T* candidate : all)
      if (candidate->name() == name)
        chosen.push_back(candidate);
  return chosen;
}

} // namespace

History::History(const std::string& path, const BuiltModel& built, const deck::Output& output, double step)
    : built_(built), output_(output), stride_(std::max(1L, std::lround(output.every / step))), file_(path),
      bodies_(select(built.bodies, output.bodies)), joints_(select(built.joints, output.joints)) {
  write_header();
}

void History::observe(const Simulation& simulation, long step) {
  if (step % stride_ == 0 || step == simulation.steps_planned())
    write_row(simulation);
}

void History::finish(const Simulation& simulation) {
  if (rows_ == 0 || simulation.state().time != last_time_)
    write_row(simulation);
  file_.flush();
}

void History::column(const std::string& name) {
  line_ += ',';
  line_ += name;
}

void History::write_header() {
  line_ = "t";
  for (const Body* body : bodies_)
    for (const char* c : {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"})
      column(body->name() + "." + c);
  for (const Joint* joint : joints_)
    for (const char* c : {"fx", "fy", "fz", "mx", "my", "mz"})
      column(joint->name() + "." + c);
  for (const TracedPoint& point : built_.points)
    for (const char* c : {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"})
      column(point.name + "." + c);
  if (output_.energies)
    for (const char* c : {"kinetic", "potential", "work", "dissipation", "energy_imbalance"})
      column(c);
  if (output_.momenta)
    for (const char* c : {"px", "py", "pz", "lx", "ly", "lz"})
      column(c);
  line_ += '\n';
  file_.write(line_);
  file_.flush();
}

void History::number(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x);
  line_ += ',';
  line_.append(text, end.ptr);
}

void History::vector(const Vec3& v) {
  for (int i = 0; i < 3; ++i)
    number(v[i]);
}

void History::write_row(const Simulation& simulation) {
  const State& state = simulation.state();
  line_.clear();
  number(state.time);
  line_.erase(0, 1); // the comma before the first column
  for (const Body* body : bodies_) {
    const BodyMotion m = body->motion(state);
    vector(m.position);
    for (int i = 0; i < 4; ++i)
      number(to_wxyz(m.orientation)[i]);
    vector(m.velocity);
    vector(output_.body_angular_velocity ? Vec3(m.orientation.conjugate() * m.angular_velocity) : m.angular_velocity);
  }
  // Reactions and accelerations are means over the step that ended here: there are none at the start, nor where the
  // last attempt failed.
  const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const Joint* joint : joints_) {
    Reaction reaction{none, none};
    if (simulation.has_step())
      reaction = joint->reaction_on_second(simulation.integrator().last_step(), simulation.integrator().last_motions());
    vector(reaction.force);
    vector(reaction.moment);
  }
  for (const TracedPoint& point : built_.points) {
    const Connectivity& port = *simulation.model().ports()[static_cast<std::size_t>(point.variable.port)];
    Vec12 q, rate;
    port.at(state, q, rate);
    const Vec3 velocity = point.variable.of(rate);
    vector(point.variable.of(q));
    vector(velocity);
    Vec3 acceleration = none;
    if (simulation.has_step()) {
      const Step s = simulation.integrator().last_step();
      port.at(s.n, q, rate);
      acceleration = (velocity - point.variable.of(rate)) * s.inv_h;
    }
    vector(acceleration);
  }
  const Ledger& ledger = simulation.ledger();
  if (output_.energies)
    for (const double x : {ledger.last().kinetic, ledger.last().potential, ledger.work(), ledger.dissipation(),
                           ledger.energy_imbalance()})
      number(x);
  if (output_.momenta) {
    vector(ledger.last().linear_momentum);
    vector(ledger.last().angular_momentum);
  }
  line_ += '\n';
  file_.write(line_);
  ++rows_;
  last_time_ = state.time;
}

} // namespace emmy
