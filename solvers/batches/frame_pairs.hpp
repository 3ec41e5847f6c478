#pragma once
/// Elements between two ports as kernels of frames take them.

#include "core/measure_interaction.hpp"

namespace emmy {

/// The two ports of an element, or of one of its shares; false if it is not between two different ones.
bool find_ports(const MeasureInteraction& element, int share, Index (&ports)[2]);

/// What kernels know of one side of an element.
struct PairSide {
  bool is_ground;
  bool is_here; ///< otherwise its vectors are left out
};

/// Writes the vectors of an element, or of one of its shares, in the order of vector_numbers: `put` takes three numbers
/// at a time. A point on the ground goes where coordinates of centres are subtracted.
template <class Put>
void put_vectors(const MeasureInteraction& element, int share, const PairSide (&sides)[2], Put put) {
  const MeasureEquations& equations = element.equations();
  const NaturalVariable* end = element.variables().data();
  for (int i = 0; i < equations.vector_count; ++i) {
    const On on = equations.vectors[i];
    const bool is_of_second = on == On::third || on == On::fourth || on == On::second_span;
    if (is_of_second != (share == 1)) {
      end += is_span(on) ? 2 : 1;
    } else if (is_span(on)) {
      Vec3 offset = Vec3::Zero();
      for (int s = 0; s < 2; ++s, ++end) {
        if (sides[s].is_ground && sides[s].is_here)
          offset += (s == 0 ? 1 : -1) * end->w.tail<3>();
        put(sides[s].is_here && !sides[s].is_ground ? Vec3(end->w.tail<3>()) : Vec3(Vec3::Zero()));
      }
      put(offset);
    } else {
      const int s = on == On::first || on == On::third ? 0 : 1;
      put(sides[s].is_here ? Vec3(end->w.tail<3>()) : Vec3(Vec3::Zero()));
      ++end;
    }
  }
}

} // namespace emmy
