#pragma once
/// Values of a deck: numbers, vectors, words. Each function reports what is wrong and then returns nothing.

#include "io/deck/reading.hpp"

#include <optional>
#include <string>
#include <vector>

namespace emmy::deck {

std::optional<double> read_number(Reading& reading, const Node& node, const Target& target);
/// A number, or an expression of the time t.
std::optional<TimeFunction> read_function(Reading& reading, const Node& node, const Target& target);
std::optional<int> read_integer(Reading& reading, const Node& node, const Target& target);
std::optional<bool> read_flag(Reading& reading, const Node& node, const Target& target);
std::optional<std::string> read_text(Reading& reading, const Node& node, const Target& target);
std::optional<std::string> read_choice(Reading& reading, const Node& node, const Target& target);

/// `count` numbers in a list.
std::optional<std::vector<double>> read_numbers(Reading& reading, const Node& node, const Target& target,
                                                std::size_t count);
/// Any number of numbers in a list, each larger than the one before.
std::optional<std::vector<double>> read_ascending(Reading& reading, const Node& node, const Target& target);
std::optional<Vec3> read_vector(Reading& reading, const Node& node, const Target& target);
/// Three rows of three numbers.
std::optional<Mat3> read_matrix(Reading& reading, const Node& node, const Target& target);
/// Six numbers for the diagonal, or six rows of six: symmetric and positive semidefinite.
std::optional<Mat6> read_matrix6(Reading& reading, const Node& node, const Target& target);
/// A word or a vector, made unit length.
std::optional<Vec3> read_axis(Reading& reading, const Node& node, const Target& target);
/// 3, 6 or 3 x 3 numbers, checked to be the inertia of some body.
std::optional<Mat3> read_inertia(Reading& reading, const Node& node, const Target& target);
/// Whether some distribution of mass has this inertia; otherwise reports that none has.
bool check_triangle(Reading& reading, const Node& node, const Target& target, const Mat3& J);
/// A number, or `rigid`: infinity.
std::optional<double> read_stiffness(Reading& reading, const Node& node, const Target& target);
/// A number, or `auto`: infinity.
std::optional<double> read_step_size(Reading& reading, const Node& node, const Target& target);
/// Index of a joint; reports a name that no joint has.
std::optional<int> read_joint_name(Reading& reading, const Node& node, const Target& target);
/// `all`, `none`, a name or a list of names.
std::optional<Selection> read_selection(Reading& reading, const Node& node, const Target& target, const Names& known);

/// Warns of an angle that is typed as a plain number and is more than a full turn: degrees were probably meant.
void suspect_degrees(Reading& reading, const Node& node, const Target& target);

/// Reports that a value is of the wrong kind.
void report_wrong_kind(Reading& reading, const Node& node, const Target& target);

} // namespace emmy::deck
