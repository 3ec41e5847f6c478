#include "io/analyses.hpp"

#include "core/counted.hpp"
#include "io/history.hpp"
#include "io/interrupt.hpp"
#include "io/progress.hpp"
#include "io/report.hpp"
#include "solvers/analysis/modes.hpp"
#include "solvers/analysis/static_equilibrium.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <utility>
#include <vector>

namespace emmy {

namespace {

const char* text_of(Stability stability) {
  switch (stability) {
  case Stability::stable:
    return "stable";
  case Stability::neutral:
    return "neutral: some motions meet no resistance";
  case Stability::unstable:
    return "unstable";
  }
  return "";
}

/// Shows how far a search is, and whether it may go on.
class Watch {
public:
  explicit Watch(const Desk& desk) : desk_(desk), progress_(desk.err) {}

  bool go_on(const std::string& text) {
    if (desk_.progress)
      progress_.show(text);
    return !interrupt_.requested();
  }
  ExitCode interrupted() {
    progress_.clear();
    const char* text = "interrupted; there are no results\n";
    desk_.log.write(text);
    desk_.err << text;
    return exit_failed;
  }
  void clear() { progress_.clear(); }

private:
  const Desk& desk_;
  Interrupt interrupt_;
  Progress progress_;
};

/// The equilibrium next to the initial state; says so on paper if there is none.
ExitCode to_equilibrium(const Loaded& m, const Desk& desk, Watch& watch, State& state, EquilibriumReport& report) {
  EquilibriumOptions options;
  options.go_on = [&](int iterations) { return watch.go_on(formatted("equilibrium   iteration %d", iterations)); };
  report = find_equilibrium(*m.built.model, state, options);
  if (report.stopped)
    return watch.interrupted();
  watch.clear();
  if (report.converged)
    return exit_ok;
  const std::string text = "error: no equilibrium found: " + report.message + "\n" +
                           (report.worst.empty() ? "" : "  farthest from balance: " + report.worst + "\n");
  desk.log.write(text);
  desk.err << text;
  return exit_not_converged;
}

std::string rest_of(std::size_t rows) {
  return rows > longest_table ? formatted("  ... and %zu more\n", rows - longest_table) : "";
}

/// What the joints bear; `length` is the size of the model.
std::string reaction_table(const Loaded& m, const State& state, double length) {
  if (m.built.joints.empty())
    return {};
  const VecX still = VecX::Zero(m.built.model->unknowns());
  const Step step{state, no_time, 0, still, state.multipliers};
  PortMotions motions = m.built.model->port_motions();
  m.built.model->move_ports(step, motions);
  const MovedStep moved{step, motions};
  std::vector<std::pair<std::string, Reaction>> rows;
  // Forces that accelerate the model less than rounding of 1 m/s² are none, nor are those lost beside larger ones.
  double force = total_mass(m.deck) * std::max(1.0, m.deck.gravity.norm()), moment = 0;
  for (const BuiltJoint& joint : m.built.joints) {
    const auto reaction = joint.joint != nullptr ? std::optional(joint.joint->reaction_on_second(moved))
                                                 : m.built.mesh->reaction(*m.built.model, joint.connection, moved);
    if (!reaction)
      continue;
    rows.emplace_back(joint.name, *reaction);
    force = std::max(force, reaction->force.norm());
    moment = std::max(moment, reaction->moment.norm());
  }
  moment += force * length;
  std::string text = "\n  joint                           force on its second body [N]            moment [N m]\n";
  for (std::size_t i = 0; i < std::min(rows.size(), longest_table); ++i) {
    text += formatted("  %-24s", rows[i].first.c_str());
    for (const double f : rows[i].second.force)
      text += formatted(" %12.6g", without_rounding(f, force));
    for (const double f : rows[i].second.moment)
      text += formatted(" %12.6g", without_rounding(f, moment));
    text += "\n";
  }
  return text + rest_of(rows.size());
}

std::string equilibrium_text(const Loaded& m, const State& state, const EquilibriumReport& report) {
  const double length = std::max(1.0, state.values.cwiseAbs().maxCoeff());
  const auto to = [](double left, double size, const char* unit) {
    return without_rounding(left, size) == 0 ? std::string("to rounding") : formatted("to %.1e %s", left, unit);
  };
  std::string text =
      formatted("  Equilibrium after %s, %s\n    forces balance %s, joints close %s\n",
                counted(report.iterations, "iteration", "iterations").c_str(), text_of(report.stability),
                to(report.residual, 1, "of their size").c_str(), to(report.gap, length, "m, rad").c_str());
  text += "\n  body                            centre of mass [m]\n";
  for (std::size_t i = 0; i < std::min(m.built.bodies.size(), longest_table); ++i) {
    text += formatted("  %-24s", m.built.bodies[i]->name().c_str());
    for (const double x : m.built.bodies[i]->motion(state).position)
      text += formatted(" %12.6g", without_rounding(x, length));
    text += "\n";
  }
  return text + rest_of(m.built.bodies.size()) + reaction_table(m, state, length);
}

/// How a body moves in a shape: displacement of its centre, and the rotation that fits the motion of its base vectors
/// best.
class BodyShape {
public:
  BodyShape(const Model& model, const State& state) : model_(model), motions_(model.port_motions()) {
    const VecX still = VecX::Zero(model.unknowns());
    model.move_ports({state, no_time, 0, still, state.multipliers}, motions_);
  }

  Eigen::Matrix<double, 6, 1> of(const Body& body, const VecX& shape) const {
    const auto port = static_cast<std::size_t>(body.port());
    VecX z(model_.ports()[port]->unknowns());
    Index first = 0;
    for (const Node& node : model_.ports()[port]->nodes()) {
      z.segment(first, node.unknowns()) = shape.segment(node.unknown, node.unknowns());
      first += node.unknowns();
    }
    const Vec12 q = motions_[port].q_n1, dq = motions_[port].D * z;
    Vec3 moment = Vec3::Zero();
    Mat3 B = Mat3::Zero();
    for (Index i = 3; i < 12; i += 3) {
      moment += q.segment<3>(i).cross(dq.segment<3>(i));
      B += q.segment<3>(i) * q.segment<3>(i).transpose();
    }
    const Mat3 A = B.trace() * Mat3::Identity() - B; // singular along the axis of a rod
    Eigen::Matrix<double, 6, 1> result;
    result << dq.head<3>(), A.completeOrthogonalDecomposition().solve(moment);
    return result;
  }

private:
  const Model& model_;
  PortMotions motions_;
};

constexpr double pi = 3.14159265358979323846;

void append(std::string& line, double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x);
  line += ',';
  line.append(text, end.ptr);
}

std::string modes_csv(const Loaded& m, const State& state, const ModalReport& report, std::size_t count) {
  const BodyShape shape(*m.built.model, state);
  std::string text = "mode,frequency,omega,damping_ratio,growth,natural_frequency";
  const auto names = [&](const std::string& suffix) {
    for (const Body* body : m.built.bodies)
      for (const char* c : {"ux", "uy", "uz", "rx", "ry", "rz"})
        text += "," + body->name() + "." + c + suffix;
  };
  names("");
  if (report.damped)
    names("_im");
  text += '\n';
  for (std::size_t i = 0; i < count; ++i) {
    const Mode& mode = report.modes[i];
    text += std::to_string(i + 1);
    for (const double x : {mode.frequency, mode.omega, mode.damping_ratio + 0.0, mode.eigenvalue.real(),
                           std::abs(mode.eigenvalue) / (2 * pi)})
      append(text, x);
    const auto add = [&](const VecX& part) {
      for (const Body* body : m.built.bodies)
        for (const double x : shape.of(*body, part))
          append(text, x);
    };
    add(mode.shape.real());
    if (report.damped)
      add(mode.shape.imag());
    text += '\n';
  }
  return text;
}

std::string modes_text(const ModalReport& report, std::size_t count) {
  std::string text = "\n  " + degrees_of_freedom_text(report.degrees_of_freedom) + (report.damped ? ", damped" : "") +
                     "\n  mode   frequency [Hz]    omega [rad/s]   damping ratio\n";
  constexpr std::size_t longest_list = 50;
  for (std::size_t i = 0; i < std::min(count, longest_list); ++i) {
    const Mode& mode = report.modes[i];
    text +=
        formatted("  %4zu   %14.8g   %14.8g   %13.6g%s\n", i + 1, mode.frequency, mode.omega, mode.damping_ratio + 0.0,
                  mode.eigenvalue.real() > 0 && mode.damping_ratio < -1e-9 ? "   grows" : "");
  }
  if (count > longest_list)
    text += formatted("  ... and %zu more\n", count - longest_list);
  return text;
}

} // namespace

ExitCode run_static(const Loaded& m, const Desk& desk) {
  History history(desk.directory, m.built, m.deck.output, 0);
  State state = m.built.initial;
  EquilibriumReport report;
  Watch watch(desk);
  if (const ExitCode code = to_equilibrium(m, desk, watch, state, report); code != exit_ok)
    return code;
  history.write_equilibrium(state);
  const std::string summary = size_report(m.deck, m.built, m.analysis) + equilibrium_text(m, state, report) +
                              "  Results in " + desk.directory + ": " + history.summary() + ", run.log\n";
  desk.log.write(summary);
  desk.out << summary;
  return exit_ok;
}

ExitCode run_modes(const Loaded& m, const Desk& desk) {
  State state = m.built.initial;
  EquilibriumReport equilibrium;
  Watch watch(desk);
  if (const ExitCode code = to_equilibrium(m, desk, watch, state, equilibrium); code != exit_ok)
    return code;
  ModalOptions options;
  options.count = m.deck.analysis.number;
  options.go_on = [&](Index found) { return watch.go_on(formatted("modes   %td found", found)); };
  const ModalReport report = find_modes(*m.built.model, state, options);
  if (report.stopped)
    return watch.interrupted();
  watch.clear();
  const std::size_t wanted = options.count > 0 ? static_cast<std::size_t>(options.count) : report.modes.size();
  const std::size_t count = std::min(wanted, report.modes.size());
  replace_file(desk.directory + "/modes.csv", modes_csv(m, state, report, count));
  const std::string summary = size_report(m.deck, m.built, m.analysis) + equilibrium_text(m, state, equilibrium) +
                              modes_text(report, count) + "  Results in " + desk.directory + ": modes.csv, run.log\n";
  desk.log.write(summary);
  desk.out << summary;
  return exit_ok;
}

} // namespace emmy
