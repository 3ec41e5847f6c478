#include "verification/benchmarks/peers/peer.hpp"

namespace emmy::benchmark {

std::vector<Peer> peers() {
  std::vector<Peer> list;
#ifdef EMMY_HAVE_SIMBODY
  list.push_back({"Simbody", "Runge-Kutta-Merson", solve_with_simbody});
#endif
  return list;
}

} // namespace emmy::benchmark
