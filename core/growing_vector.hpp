#pragma once
/// A vector of numbers that keeps its memory when it shrinks, unlike Eigen's own: sizes that come and go allocate
/// nothing once they have peaked.

#include "core/types.hpp"

#include <new>
#include <vector>

namespace emmy {

class GrowingVector : public Eigen::Map<VecX> {
  using View = Eigen::Map<VecX>;

public:
  GrowingVector() : View(nullptr, 0) {}
  GrowingVector(const GrowingVector& other) : GrowingVector() { *this = other; }
  template <class Derived>
  GrowingVector(const Eigen::MatrixBase<Derived>& other) : GrowingVector() {
    *this = other;
  }

  GrowingVector& operator=(const GrowingVector& other) { return *this = static_cast<const View&>(other); }
  /// `other` may be made of this vector if it has the same size.
  template <class Derived>
  GrowingVector& operator=(const Eigen::MatrixBase<Derived>& other) {
    resize(other.size());
    View::operator=(other);
    return *this;
  }

  /// Values are of no meaning afterwards, unless the size is the same.
  void resize(Index n) {
    if (n == size())
      return;
    memory_.resize(static_cast<std::size_t>(n));
    new (static_cast<View*>(this)) View(memory_.data(), n); // how Eigen lets a view look elsewhere
  }
  void set_zero(Index n) {
    resize(n);
    setZero();
  }

private:
  std::vector<double> memory_;
};

} // namespace emmy
