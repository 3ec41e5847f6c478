#include "contact/scene.hpp"

#include <algorithm>

namespace emmy::contact {

int Scene::rule(int a, int b) const {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  return rule(surfaces[i].port, class_of[i], surfaces[j].port, class_of[j]);
}

int Scene::rule(Index port_a, int class_a, Index port_b, int class_b) const {
  if (port_a == port_b || std::binary_search(apart.begin(), apart.end(),
                                             std::make_pair(std::min(port_a, port_b), std::max(port_a, port_b))))
    return -1;
  return rule_of(class_a, class_b);
}

} // namespace emmy::contact
