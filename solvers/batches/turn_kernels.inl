// Kernels of joint angles in batch_program.hpp; included by one source for each set of instructions.
#include "core/rotation_equations.hpp"
#include "elements/joints/angle_equations.hpp"
#include "solvers/batches/batch_program.hpp"
#include "solvers/condensation/side_by_side.hpp"

namespace emmy {
inline namespace EMMY_ISA {

namespace {

/// [D18] where the step has ended: half a turn in one step is ambiguous anyway, so where it began need not be looked
/// at.
template <class T>
void count_turns(const TurnTable& table, const double* values, const double* history_n, double* history) {
  constexpr int lanes = Lanes<T>::count;
  constexpr double still[4] = {1, 0, 0, 0};
  for (int first = 0; first < table.count; first += lanes) {
    const TurnPlace* place = table.places + first;
    const SideBySide<T> vectors(table.vectors + first * turn_numbers);
    T orientation[2][4], before;
    for (int s = 0; s < 2; ++s)
      read<4>([&](int i) { return place[i].orientation[s] < 0 ? still : values + place[i].orientation[s]; },
              orientation[s]);
    double angles[lanes];
    for (int i = 0; i < lanes; ++i)
      angles[i] = history_n[place[i].history];
    std::memcpy(&before, angles, sizeof before);
    const V3<T> t1 = rotation_matrix(orientation[1]) * vectors.vector(6);
    const V3<T> seen = transposed_times(rotation_matrix(orientation[0]), t1);
    const T after = AngleStep<T>::counted_at(dot(vectors.vector(0), seen), dot(vectors.vector(3), seen), before);
    std::memcpy(angles, &after, sizeof after);
    for (int i = 0; i < lanes; ++i)
      history[place[i].history] = angles[i];
  }
}

} // namespace
} // namespace EMMY_ISA
} // namespace emmy
