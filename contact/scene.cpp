#include "contact/scene.hpp"

#include <algorithm>

namespace emmy::contact {

int Scene::rule(int a, int b) const {
  const Index port_a = surfaces[static_cast<std::size_t>(a)].port, port_b = surfaces[static_cast<std::size_t>(b)].port;
  if (port_a == port_b || std::binary_search(apart.begin(), apart.end(),
                                             std::make_pair(std::min(port_a, port_b), std::max(port_a, port_b))))
    return -1;
  return rule_of(class_of[static_cast<std::size_t>(a)], class_of[static_cast<std::size_t>(b)]);
}

} // namespace emmy::contact
