#include "core/ledger.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(LedgerBooks)

// 0.1 is not a binary number: its double, times 1e7, is exact in long double. Plain addition is off by 1.6e-4.
BOOST_AUTO_TEST_CASE(ten_million_bookings_add_no_error) {
  CompensatedSum<double> sum;
  CompensatedSum<Vec3> vector_sum;
  double plain = 0;
  const Vec3 x(0.1, -0.1, 0.3);
  for (int i = 0; i < 10000000; ++i) {
    sum.add(0.1);
    if (i % 10 == 0)
      vector_sum.add(x);
    plain += 0.1;
  }
  const auto exact = [](double term, long double times = 1e7L) { return static_cast<double>(times * term); };
  // The last addition rounds once, the result of size 1e6 once more.
  BOOST_TEST(agree("sum", sum.value(), exact(0.1), 2 * eps * 1e6));
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(agree("sum", vector_sum.value()[i], exact(x[i], 1e6L), 2 * eps * 3e5));
  BOOST_TEST(!agree("plain sum", plain, exact(0.1), 1e-5));
}

BOOST_AUTO_TEST_CASE(a_term_larger_than_the_sum_loses_nothing) {
  CompensatedSum<double> sum;
  for (const double x : {1.0, 1e100, 1.0, -1e100})
    sum.add(x);
  BOOST_TEST(sum.value() == 2);
}

BOOST_AUTO_TEST_CASE(what_books_explain_is_no_imbalance) {
  StepBooks b;
  b.kinetic = 8;
  b.potential = 100;
  b.linear_momentum = Vec3(1, 2, 3);
  b.angular_momentum = Vec3(4, 5, 6);
  Ledger ledger;
  ledger.open(b);
  // Numbers that are exact in binary, so that equality may be asked for.
  b.kinetic = 10;
  b.potential = 97;
  b.work = 0.5;
  b.dissipation = 1.5; // 10 + 97 = 8 + 100 + 0.5 - 1.5
  b.impulse = Vec3(0.5, 0, 0);
  b.angular_impulse = Vec3(0, 0.25, 0);
  b.linear_momentum += b.impulse;
  b.angular_momentum += b.angular_impulse;
  ledger.add(b);
  BOOST_TEST(ledger.energy_imbalance() == 0);
  BOOST_TEST((ledger.linear_imbalance() == Vec3::Zero()));
  BOOST_TEST((ledger.angular_imbalance() == Vec3::Zero()));
  BOOST_TEST(ledger.max_energy_imbalance() == 0);
  BOOST_TEST(ledger.work() == 0.5);
  BOOST_TEST(ledger.dissipation() == 1.5);
  BOOST_TEST(ledger.initial().energy() == 108);
  BOOST_TEST(ledger.last().energy() == 107);
}

BOOST_AUTO_TEST_CASE(what_books_do_not_explain_is_kept_with_its_largest_size) {
  Ledger ledger;
  StepBooks b;
  ledger.open(b);
  b.kinetic = 3;
  b.linear_momentum = Vec3(0, 3, 4);
  b.angular_momentum = Vec3(0, 0, -2);
  b.position_violation = 1e-3;
  b.velocity_violation = 1e-2;
  ledger.add(b);
  b.kinetic = 1;
  b.linear_momentum = b.angular_momentum = Vec3::Zero();
  b.position_violation = b.velocity_violation = 0;
  ledger.add(b);
  BOOST_TEST(ledger.energy_imbalance() == 1);
  BOOST_TEST(ledger.max_energy_imbalance() == 3);
  BOOST_TEST((ledger.linear_imbalance() == Vec3::Zero()));
  BOOST_TEST(ledger.max_linear_imbalance() == 5);
  BOOST_TEST(ledger.max_angular_imbalance() == 2);
  BOOST_TEST(ledger.max_position_violation() == 1e-3);
  BOOST_TEST(ledger.max_velocity_violation() == 1e-2);
}

BOOST_AUTO_TEST_CASE(opening_forgets_the_past_and_ignores_what_happened_in_a_step) {
  Ledger ledger;
  StepBooks b;
  b.kinetic = 5;
  b.work = 2;
  b.impulse = b.angular_impulse = Vec3(1, 1, 1);
  ledger.open(StepBooks());
  ledger.add(b);
  ledger.open(b);
  BOOST_TEST(ledger.work() == 0);
  BOOST_TEST(ledger.energy_imbalance() == 0);
  BOOST_TEST(ledger.max_energy_imbalance() == 0);
  BOOST_TEST((ledger.linear_imbalance() == Vec3::Zero()));
  BOOST_TEST((ledger.angular_imbalance() == Vec3::Zero()));
  BOOST_TEST(ledger.energy_scale() == 5);
}

// Heights may be measured from anywhere: shifting the potential changes neither imbalance nor scales.
BOOST_AUTO_TEST_CASE(scales_do_not_depend_on_the_datum_of_the_potential) {
  Random random(31);
  Ledger here, shifted;
  for (int step = 0; step < 50; ++step) {
    StepBooks b;
    b.kinetic = std::ldexp(std::round(random.between(0, 1024)), -8); // multiples of 2^-8: exact sums
    b.potential = std::ldexp(std::round(random.between(-1024, 1024)), -8);
    b.work = std::ldexp(std::round(random.between(-64, 64)), -8);
    b.linear_momentum_sum = random.between(0, 2);
    b.angular_momentum_sum = random.between(0, 2);
    StepBooks c = b;
    c.potential += 1 << 20;
    step == 0 ? here.open(b) : here.add(b);
    step == 0 ? shifted.open(c) : shifted.add(c);
  }
  BOOST_TEST(here.energy_scale() == shifted.energy_scale());
  BOOST_TEST(here.energy_scale() > 0);
  BOOST_TEST(here.energy_imbalance() == shifted.energy_imbalance());
  BOOST_TEST(here.max_energy_imbalance() == shifted.max_energy_imbalance());
  BOOST_TEST(here.linear_scale() == shifted.linear_scale());
  BOOST_TEST(here.angular_scale() == shifted.angular_scale());
}

BOOST_AUTO_TEST_CASE(the_energy_scale_adds_the_largest_kinetic_potential_and_work) {
  Ledger ledger;
  StepBooks b;
  b.kinetic = 2;
  b.potential = 50;
  ledger.open(b);
  b.kinetic = 7;
  b.potential = 46;
  b.work = -3;
  b.linear_momentum_sum = 8;
  b.angular_momentum_sum = 9;
  ledger.add(b);
  b.kinetic = 1;
  b.potential = 51;
  b.work = 2;
  b.linear_momentum_sum = b.angular_momentum_sum = 1;
  ledger.add(b);
  BOOST_TEST(ledger.energy_scale() == 7 + 4 + 3); // work came to -3, then to -1
  BOOST_TEST(ledger.linear_scale() == 8);
  BOOST_TEST(ledger.angular_scale() == 9);
}

// A body that rests on a joint: its weight and the reaction pass through the books, and their rounding is all that is
// left of its momentum.
BOOST_AUTO_TEST_CASE(nothing_that_moves_means_no_relative_imbalance) {
  Ledger ledger;
  StepBooks rest;
  rest.potential = -100;
  ledger.open(rest);
  rest.impulse_sum = 2 * 9.81;
  rest.angular_impulse_sum = 1;
  rest.linear_momentum.z() = 2e-16;
  rest.linear_momentum_sum = 2e-16;
  rest.potential = -100 - 1.5e-14;
  ledger.add(rest);
  BOOST_TEST(ledger.max_linear_imbalance() > 0);
  BOOST_TEST(ledger.relative_linear_imbalance() == 0);
  BOOST_TEST(ledger.relative_energy_imbalance() == 0);
}

BOOST_AUTO_TEST_CASE(relative_imbalance_is_imbalance_over_scale) {
  Ledger ledger;
  StepBooks books;
  ledger.open(books);
  books.kinetic = 4;
  books.work = 3;
  books.linear_momentum_sum = 8;
  books.linear_momentum.x() = 2;
  ledger.add(books);
  BOOST_TEST(ledger.relative_energy_imbalance() == 1.0 / 7); // 4 - 3 over 4 + 3
  BOOST_TEST(ledger.relative_linear_imbalance() == 0.25);
  BOOST_TEST(ledger.relative_angular_imbalance() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
