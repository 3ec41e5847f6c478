#include "io/assembly_report.hpp"

#include "core/counted.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// One quantity of a body as typed and as assembled, and the column that says how far it went.
struct Quantity {
  const char* name;
  const char* changed;
  const char* unit;
  Vec3 (*of)(const BodyMotion&);
  double BodyChange::*change;
};

const Quantity quantities[] = {
    {"position", "moved", "m", [](const BodyMotion& m) { return m.position; }, &BodyChange::distance},
    {"orientation, axis times angle", "turned", "rad",
     [](const BodyMotion& m) { return rotation_vector(m.orientation); }, &BodyChange::angle},
    {"velocity", "changed", "m/s", [](const BodyMotion& m) { return m.velocity; }, &BodyChange::velocity},
    {"angular velocity", "changed", "rad/s", [](const BodyMotion& m) { return m.angular_velocity; },
     &BodyChange::angular_velocity}};

/// Bodies of which a quantity changed; empty if it did of none.
std::string table_of(const Quantity& quantity, const std::vector<BodyChange>& bodies) {
  constexpr double rounding = 1e-12; // what assembly changes by rounding is not worth a line
  std::string text;
  std::size_t changed = 0;
  for (const BodyChange& c : bodies) {
    if (c.*quantity.change <= rounding || ++changed > longest_table)
      continue;
    text += formatted("  %-16s", c.body->name().c_str());
    const Vec3 before = quantity.of(c.before), after = quantity.of(c.after);
    const double size = std::max(before.norm(), after.norm());
    for (const Vec3* v : {&before, &after}) {
      for (const double number : *v)
        text += formatted(" %11.5g", std::abs(number) > rounding * size ? number : 0);
      text += " ";
    }
    text += formatted(" %11.3e\n", c.*quantity.change);
  }
  if (changed == 0)
    return {};
  if (changed > longest_table)
    text += formatted("  ... and %zu more\n", changed - longest_table);
  const std::string unit = formatted(" [%s]", quantity.unit);
  return "\n  " + (quantity.name + unit) + "\n" +
         formatted("  %-16s %35s  %35s  %11s\n", "body", "typed", "assembled", quantity.changed) + text;
}

} // namespace

std::string assembly_report(const AssemblyReport& assembly) {
  std::string text = "  initial assembly         " + counted(assembly.iterations, "iteration", "iterations") + "\n";
  if (assembly.attempts > 0)
    text += formatted("  singular start           a gap of %.3g remained in the nearest positions; closed after %s\n",
                      assembly.first_gap, assembly.tried.c_str());
  std::string tables;
  for (const Quantity& quantity : quantities)
    tables += table_of(quantity, assembly.bodies);
  return text + (tables.empty() ? "  nothing had to move\n" : tables);
}

} // namespace emmy
