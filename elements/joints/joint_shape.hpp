#pragma once
/// Joints of one kind, as plain data for kernels.

namespace emmy {

/// What joints of one kind have in common: plain data.
struct JointShape {
  enum class Kind { coincidence, dot };
  struct Term {
    Kind kind;
    int a, b; ///< which natural variables
    int row;  ///< its first
    double factor;
  };
  static constexpr int most_variables = 10, most_terms = 8;

  int rows = 0, variables = 0, terms = 0;
  int side[most_variables] = {}; ///< on the first body or the second
  Term term[most_terms] = {};
  bool couples_rotations = false; ///< multipliers of dots do

  bool operator==(const JointShape& other) const {
    bool same = rows == other.rows && variables == other.variables && terms == other.terms;
    for (int i = 0; same && i < variables; ++i)
      same = side[i] == other.side[i];
    for (int i = 0; same && i < terms; ++i) {
      const Term &a = term[i], &b = other.term[i];
      same = a.kind == b.kind && a.a == b.a && a.b == b.b && a.row == b.row && a.factor == b.factor;
    }
    return same;
  }
};

} // namespace emmy
