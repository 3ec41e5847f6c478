#include "solvers/batches/frame_pairs.hpp"

namespace emmy {

bool find_ports(const MeasureInteraction& element, int share, Index (&ports)[2]) {
  const MeasureEquations& equations = element.equations();
  const On on[] = {share == 0 ? On::first : On::third, share == 0 ? On::second : On::fourth};
  const On span = share == 0 ? On::span : On::second_span;
  bool is_known[2] = {false, false}, is_between_two = true;
  const auto note = [&](int side, Index port) {
    is_between_two = is_between_two && (!is_known[side] || ports[side] == port);
    ports[side] = port;
    is_known[side] = true;
  };
  const NaturalVariable* end = element.variables().data();
  for (int i = 0; i < equations.vector_count; ++i) {
    const On of = equations.vectors[i];
    for (int s = 0; s < 2; ++s)
      if (of == span)
        note(s, end[s].port);
      else if (of == on[s])
        note(s, end->port);
    end += is_span(of) ? 2 : 1;
  }
  return is_between_two && is_known[0] && is_known[1] && ports[0] != ports[1];
}

} // namespace emmy
