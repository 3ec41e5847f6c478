#include "core/body.hpp"

#include <stdexcept>

namespace emmy {

void Body::add_velocity(const Vec3&, const Vec3&, State&) const {
  throw std::logic_error("body '" + name() + "' (" + kind() + ") does not move by velocity and angular velocity alone");
}

} // namespace emmy
