#include "core/state.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;

namespace {

State some_state() {
  State s;
  s.time = 1;
  s.values = VecX::LinSpaced(7, 0, 1);
  s.remainders = VecX::LinSpaced(7, 0, 1e-16);
  s.rates = VecX::LinSpaced(6, 1, 2);
  s.multipliers = VecX::LinSpaced(3, 2, 3);
  s.history = VecX::LinSpaced(2, 3, 4);
  return s;
}

} // namespace

BOOST_AUTO_TEST_SUITE(States)

BOOST_AUTO_TEST_CASE(a_copy_is_equal) {
  const State a = some_state();
  const State b = a;
  BOOST_TEST((a == b));
  BOOST_TEST(!(a != b));
}

BOOST_AUTO_TEST_CASE(the_last_bit_of_any_part_makes_a_difference) {
  const State a = some_state();
  const auto differs_after = [&](auto change) {
    State b = a;
    change(b);
    return a != b && !(a == b);
  };
  BOOST_TEST(differs_after([](State& s) { s.time = std::nextafter(s.time, 2); }));
  BOOST_TEST(differs_after([](State& s) { s.values[6] = std::nextafter(s.values[6], 2); }));
  BOOST_TEST(differs_after([](State& s) { s.remainders[2] = std::nextafter(s.remainders[2], 1); }));
  BOOST_TEST(differs_after([](State& s) { s.rates[5] = std::nextafter(s.rates[5], 3); }));
  BOOST_TEST(differs_after([](State& s) { s.multipliers[2] = std::nextafter(s.multipliers[2], 4); }));
  BOOST_TEST(differs_after([](State& s) { s.history[1] = std::nextafter(s.history[1], 5); }));
}

BOOST_AUTO_TEST_CASE(states_of_different_models_differ) {
  const State a = some_state();
  State longer = a, empty;
  longer.values.conservativeResize(8);
  BOOST_TEST((a != longer));
  BOOST_TEST((longer != a));
  empty.time = a.time;
  BOOST_TEST((a != empty));
  BOOST_TEST((empty != a));
  BOOST_TEST((State() == State()));
}

BOOST_AUTO_TEST_SUITE_END()
