#include "io/report.hpp"

#include "core/counted.hpp"
#include "io/inertia_report.hpp"
#include "io/time_stepping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace emmy {

std::string formatted(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, format, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3)
    return formatted("%.0f µs", seconds * 1e6);
  if (seconds < 1)
    return formatted("%.3g ms", seconds * 1e3);
  if (seconds < 100)
    return formatted("%.3g s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 3600)
    return formatted("%ld min %02ld s", whole / 60, whole % 60);
  return formatted("%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

double without_rounding(double x, double size) {
  return std::abs(x) <= std::numeric_limits<double>::epsilon() * size ? 0 : x;
}

double total_mass(const deck::Deck& deck) {
  double sum = 0;
  for (const deck::Body& body : deck.bodies)
    sum += body.mass;
  return sum;
}

std::string degrees_of_freedom_text(long count) {
  return counted(count, "degree of freedom", "degrees of freedom");
}

namespace {

std::string headline(const deck::Deck& deck) {
  return "emmy " EMMY_VERSION "   " + (deck.title.empty() ? deck.file : deck.title) + "\n";
}

/// Multipliers that are solved for; those of penalties and augmented Lagrangians are not.
Index unknown_multipliers(const Model& model) {
  Index count = 0;
  for (const auto& element : model.elements())
    if (model.enforcement(*element).method == EnforcementMethod::lagrange)
      count += element->multipliers();
  return count;
}

std::string size_line(const BuiltModel& built, const ConstraintAnalysis& analysis) {
  std::string text = "  " + counted(built.bodies.size(), "body", "bodies");
  text += ", " + counted(built.joints.size(), "joint", "joints");
  if (!built.limits.empty())
    text += ", " + counted(built.limits.size(), "limit", "limits");
  if (!built.scene.surfaces.empty())
    text += ", " + counted(built.scene.surfaces.size(), "surface", "surfaces");
  text += ", " + counted(built.model->unknowns() + unknown_multipliers(*built.model), "unknown", "unknowns");
  return text + ", " + degrees_of_freedom_text(analysis.degrees_of_freedom()) + "\n";
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), longest_table); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return names.size() <= longest_table ? text : text + formatted(" and %zu more", names.size() - longest_table);
}

std::string body_table(const deck::Deck& deck) {
  std::string text =
      "\n  body              formulation    mass [kg]   principal inertia [kg m²]            centre of mass [m]\n";
  const std::size_t shown = std::min(deck.bodies.size(), longest_table);
  for (std::size_t i = 0; i < shown; ++i) {
    const deck::Body& body = deck.bodies[i];
    const Vec3 J = principal_inertia(body.inertia).moments;
    text += formatted("  %-16s  %-12s %11.5g   %10.5g %10.5g %10.5g   %10.5g %10.5g %10.5g\n", body.name.c_str(),
                      body.formulation.c_str(), body.mass, J[0], J[1], J[2], body.position.x(), body.position.y(),
                      body.position.z());
  }
  if (shown < deck.bodies.size())
    text += formatted("  ... and %zu more\n", deck.bodies.size() - shown);
  text += principal_axes_report(deck, shown);
  for (std::size_t i = 0; i < shown; ++i)
    if (const deck::Body& body = deck.bodies[i]; body.fixed_point) {
      const Vec3 at = body.position + body.orientation * *body.fixed_point;
      text += formatted("  %s turns about the fixed point (%.5g, %.5g, %.5g) m\n", body.name.c_str(), at.x(), at.y(),
                        at.z());
    }
  return text;
}

std::string joint_table(const deck::Deck& deck, const BuiltModel& built) {
  if (deck.joints.empty())
    return {};
  const auto name = [&](int body) {
    return body == deck::ground ? std::string("ground") : deck.bodies[static_cast<std::size_t>(body)].name;
  };
  std::string text = "\n  joint             type               between\n";
  const std::size_t shown = std::min(deck.joints.size(), longest_table);
  for (std::size_t i = 0; i < shown; ++i) {
    const deck::Joint& joint = deck.joints[i];
    const bool couples = joint.type == "coupler";
    const auto end = [&](std::size_t k) {
      return couples ? deck.joints[static_cast<std::size_t>(joint.joints[k])].name : name(joint.between[k]);
    };
    text += formatted("  %-16s  %-17s  %s, %s%s%s\n", joint.name.c_str(), joint.type.c_str(), end(0).c_str(),
                      end(1).c_str(), built.joints[i].joint == nullptr ? "; by sharing points" : "",
                      built.joints[i].drive != nullptr ? "; driven" : "");
  }
  if (shown < deck.joints.size())
    text += formatted("  ... and %zu more\n", deck.joints.size() - shown);
  return text;
}

std::string limit_table(const deck::Deck& deck, const BuiltModel& built) {
  if (deck.limits.empty())
    return {};
  std::string text = "\n  limit             type   restitution   gap at the start\n";
  const std::size_t shown = std::min(deck.limits.size(), longest_table);
  for (std::size_t i = 0; i < shown; ++i) {
    const Limit& limit = *built.limits[i];
    VecX gap(limit.multipliers()), rate(limit.multipliers());
    limit.gaps_at(built.initial, gap, rate);
    text += formatted("  %-16s  %-5s  %11.4g  ", limit.name().c_str(), limit.kind().c_str(),
                      limit.constraints().restitution());
    for (std::size_t k = 0; k < limit.rows().size(); ++k)
      text += formatted("%s %.5g %s%s", k > 0 ? "," : "", gap[static_cast<Index>(k)], limit.rows()[k].gap_unit,
                        limit.rows().size() > 1 ? formatted(" to the %s bound", limit.rows()[k].name).c_str() : "");
    text += "\n";
  }
  if (shown < deck.limits.size())
    text += formatted("  ... and %zu more\n", deck.limits.size() - shown);
  return text;
}

/// By how much the joints are off at the start, and where; `numbers` are those that they compare.
std::string violation_line(const char* what, double violation, const VecX& numbers, const std::string& joint,
                           const std::string& row) {
  const double size = numbers.size() > 0 ? std::max(1.0, numbers.cwiseAbs().maxCoeff()) : 1;
  if (without_rounding(violation, size) == 0)
    return formatted("  %s violation       %s\n", what, violation == 0 ? "none" : "none beyond rounding");
  return formatted("  %s violation       %.2e, worst in %s: %s\n", what, violation, joint.c_str(), row.c_str());
}

/// "100 steps of 0.1 s", or "100 steps of 0.1 s, 12 of them in parts (151 in all)," where some had to be divided.
std::string steps_text(const Outcome& outcome, double step) {
  const std::string text = counted(outcome.whole_steps, "step", "steps") + formatted(" of %g s", step);
  const long parts = outcome.steps - outcome.whole_steps;
  if (outcome.divided_steps > 0)
    return text + formatted(", %ld of them in parts (%ld in all),", outcome.divided_steps, outcome.steps);
  return parts > 0 ? text + " and " + counted(parts, "part", "parts") + " of one" : text; // the last, not finished
}

} // namespace

std::string size_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis) {
  return headline(deck) + size_line(built, analysis);
}

std::string model_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis) {
  std::string text =
      size_report(deck, built, analysis) + body_table(deck) + joint_table(deck, built) + limit_table(deck, built);
  text += formatted("\n  unknowns                 %ld of bodies + %s\n", static_cast<long>(analysis.unknowns),
                    counted(unknown_multipliers(*built.model), "multiplier", "multipliers").c_str());
  if (analysis.internal > 0)
    text += formatted("  kept by rigidity         %ld\n", static_cast<long>(analysis.internal));
  text += formatted("  constraint equations     %ld, rank %ld\n", static_cast<long>(analysis.equations),
                    static_cast<long>(analysis.rank));
  text += formatted("  degrees of freedom       %ld\n", static_cast<long>(analysis.degrees_of_freedom()));
  if (analysis.redundancy() > 0)
    text +=
        formatted("  redundant equations      %ld, in %s\n%s", static_cast<long>(analysis.redundancy()),
                  list(analysis.redundant).c_str(),
                  deck.solver.refuse_redundant
                      ? ""
                      : "                           outside singular configurations the motion is unique; reactions "
                        "of these joints are not, and the smallest are given\n");
  else
    text += "  redundant equations      none\n";
  if (analysis.equations > 0) {
    const State& state = built.initial;
    text += violation_line("position", analysis.position_violation, state.values, analysis.worst_position,
                           analysis.worst_position_row);
    text += violation_line("velocity", analysis.velocity_violation, state.rates, analysis.worst_velocity,
                           analysis.worst_velocity_row + " per second");
  }
  return text;
}

std::string run_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis,
                       const Simulation& simulation, double wall_seconds) {
  const Outcome& outcome = simulation.outcome();
  const Ledger& ledger = simulation.ledger();
  std::string text = size_report(deck, built, analysis);
  const double per_step = outcome.steps > 0 ? wall_seconds / static_cast<double>(outcome.steps) : 0;
  text += formatted("  %s to t = %g s in %s (%s a step)", steps_text(outcome, simulation.options().step).c_str(),
                    simulation.state().time, duration_text(wall_seconds).c_str(), duration_text(per_step).c_str());
  if (outcome.iterations > 0)
    text += formatted(", %s %.1f iterations (at most %d)", traits_of(deck).is_explicit ? "multipliers" : "Newton",
                      outcome.mean_iterations(), outcome.max_iterations);
  text += "\n";
  if (outcome.sweeps > 0)
    text += formatted("  augmented Lagrangian: %.1f sweeps a step (at most %d), constraints met to %.1e m, rad\n",
                      outcome.mean_sweeps(), outcome.max_sweeps, outcome.max_violation);
  if (outcome.rejected_steps > 0)
    text += "  " + counted(outcome.rejected_steps, "attempt", "attempts") +
            (!outcome.completed            ? " did not converge\n"
             : outcome.rejected_steps == 1 ? " was repeated with a smaller step\n"
                                           : " were repeated with a smaller step\n");

  // Energies come with those that they are parts of, momenta with that of the model at 1 m/s, about an arm of 1 m.
  const double energy = std::abs(ledger.initial().energy()) + std::abs(ledger.last().energy()) + ledger.energy_scale();
  const double momentum = total_mass(deck);
  const auto row = [](const char* what, double imbalance, const char* unit, double part, double scale, double size) {
    return formatted("    %-22s %9.1e %-6s  %9.1e of %.4g %s\n", what, imbalance, unit, part,
                     without_rounding(scale, size), unit);
  };
  text += "\n  Conservation audit      largest imbalance   relative\n";
  text += row("energy", ledger.max_energy_imbalance(), "J", ledger.relative_energy_imbalance(), ledger.energy_scale(),
              energy);
  text += row("linear momentum", ledger.max_linear_imbalance(), "N s", ledger.relative_linear_imbalance(),
              ledger.linear_scale(), momentum);
  text += row("angular momentum", ledger.max_angular_imbalance(), "N m s", ledger.relative_angular_imbalance(),
              ledger.angular_scale(), momentum);
  if (analysis.equations > 0) {
    text += formatted("    %-22s %9.1e m, rad\n", "joints, position", ledger.max_position_violation());
    const double rate = ledger.max_velocity_violation();
    text += formatted("    %-22s %9.1e m/s, rad/s", "joints, velocity", rate);
    const IntegratorTraits traits = traits_of(deck);
    // Rates that mean no more than the gap in positions, over a step, are rounding and fall with no step.
    const bool is_rounding = rate * simulation.options().step <= 10 * ledger.max_position_violation();
    text +=
        traits.projects_velocities || is_rounding
            ? "\n"
            : formatted("   (positions are enforced; half the step leaves about 1/%d of this)\n", 1 << traits.order);
  }
  if (!built.limits.empty())
    text += formatted("    %-22s %9.1e m, rad\n", "limits, beyond", ledger.max_penetration());
  if (built.has_strain)
    text += formatted("    %-22s %9.1e of the largest kinetic energy; least volume %.6f\n", "strain of bodies",
                      ledger.strain_ratio(), ledger.least_volume());
  const auto shown = [&](double joules) { return without_rounding(joules, energy); };
  text += formatted("\n  Energy  %.10g J at the start", shown(ledger.initial().energy()));
  if (shown(ledger.work()) != 0)
    text += formatted(", %+.6g J work", ledger.work());
  if (shown(ledger.dissipation()) != 0)
    text += formatted(", %.6g J dissipated", ledger.dissipation());
  text += formatted(", %.10g J at the end (kinetic %.6g, potential %.6g)\n", shown(ledger.last().energy()),
                    shown(ledger.last().kinetic), shown(ledger.last().potential));
  return text;
}

} // namespace emmy
