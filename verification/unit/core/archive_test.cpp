/// Data as bytes and back.
#include "core/archive.hpp"
#include "core/ledger.hpp"
#include "core/state.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;

namespace {

enum class Colour { red, green };

struct Sample {
  double x = 0;
  bool is_set = false;
  long count = 0;
  int small = 0;
  Colour colour = Colour::red;
  std::string text;
  Vec3 v = Vec3::Zero();
  VecX w;
  std::vector<std::string> words;
  std::array<double, 2> pair{};

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.x, self.is_set, self.count, self.small, self.colour, self.text, self.v, self.w, self.words, self.pair);
  }
};

Sample sample() {
  Sample s;
  s.x = -0.0;
  s.is_set = true;
  s.count = std::numeric_limits<long>::min();
  s.small = -7;
  s.colour = Colour::green;
  s.text = std::string("a\0b", 3);
  s.v = {1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  s.w = VecX::LinSpaced(5, 0.1, 0.5);
  s.words = {"", "two", "three"};
  s.pair = {3, 4};
  return s;
}

Sample read_back(const Bytes& bytes) {
  Sample s;
  ByteReader reader(bytes);
  reader(s);
  BOOST_TEST(reader.is_at_end());
  return s;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Archive)

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  const Sample s = sample(), back = read_back(bytes_of(s));
  BOOST_TEST(same_bits(s, back));
  BOOST_TEST(std::signbit(back.x));
  BOOST_TEST(back.count == s.count);
  BOOST_TEST(back.small == -7);
  BOOST_TEST((back.colour == Colour::green));
  BOOST_TEST(back.text == s.text);
  BOOST_TEST(std::isnan(back.v[1]));
  BOOST_TEST((back.w == s.w));
  BOOST_TEST(back.words == s.words, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_member_counts) {
  const Sample s = sample();
  Sample other = s;
  other.x = 0; // another bit
  BOOST_TEST(!same_bits(s, other));
  other = s;
  other.pair[1] = std::nextafter(4, 5);
  BOOST_TEST(!same_bits(s, other));
  other = s;
  other.words[0] = "x";
  BOOST_TEST(!same_bits(s, other));
}

// Nothing is read beyond the end, and no count makes room for what cannot be there.
BOOST_AUTO_TEST_CASE(bytes_that_are_cut_off_or_changed_are_refused) {
  const Bytes whole = bytes_of(sample());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    Sample s;
    ByteReader reader(whole.data(), length);
    BOOST_CHECK_THROW(reader(s), ArchiveError);
  }
  for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{1} << 62, std::int64_t{9}}) {
    VecX v;
    const Bytes bytes = bytes_of(count);
    ByteReader reader(bytes);
    BOOST_CHECK_THROW(reader(v), ArchiveError);
    BOOST_TEST(v.size() == 0);
  }
}

// All that a ledger holds, found by its answers once it is read back: a member that is not listed would be zero there.
BOOST_AUTO_TEST_CASE(a_ledger_is_read_back_whole) {
  StepBooks step;
  Ledger ledger;
  step.kinetic = 3;
  step.linear_momentum = {1, 2, 3};
  step.angular_impulse = {0.1, 0.2, 0.3};
  step.impulse = {0.4, 0.2, 0.3};
  step.work = 0.7;
  step.dissipation = 0.2;
  step.lost_restitution = 0.15;
  step.lost_friction = 0.05;
  step.stabilisation = 0.01;
  step.impacts = 2;
  step.strain = 0.3;
  step.least_volume = 0.9;
  step.rigidity_violation = 1e-9;
  step.penetration = 1e-6;
  step.position_violation = 1e-5;
  step.velocity_violation = 1e-4;
  step.law_residual = 1e-3;
  step.linear_momentum_sum = 5;
  step.angular_momentum_sum = 6;
  step.impulse_sum = step.angular_impulse_sum = 7;
  ledger.open(StepBooks());
  for (int i = 0; i < 3; ++i)
    ledger.add(step);
  Ledger back;
  const Bytes bytes = bytes_of(ledger);
  ByteReader{bytes}(back);
  ledger.add(step); // what goes on is the same
  back.add(step);
  BOOST_TEST(same_bits(ledger, back));
  BOOST_TEST(back.work() == ledger.work());
  BOOST_TEST(back.energy_imbalance() == ledger.energy_imbalance());
  BOOST_TEST(back.strain_ratio() == ledger.strain_ratio());
  BOOST_TEST(back.impacts() == 8);
  BOOST_TEST(back.max_law_residual() == 1e-3);
  // Raw storage is numbers and nothing else: as many as are listed.
  static_assert(sizeof(Ledger) % sizeof(double) == 0);
  BOOST_TEST(bytes.size() == sizeof(Ledger)); // integers are padded to as much as they are written with
}

BOOST_AUTO_TEST_CASE(a_memory_belongs_to_its_owner) {
  IntegratorMemory memory;
  BOOST_TEST(!memory.is_of("one, 1", 3));
  memory.start("one, 1", 3);
  BOOST_TEST(memory.is_of("one, 1", 3));
  BOOST_TEST(!memory.is_of("one, 2", 3));
  BOOST_TEST(!memory.is_of("one, 1", 4));
  State a, b;
  a.memory = memory;
  BOOST_TEST((a != b));
  b.memory = memory;
  BOOST_TEST((a == b));
  b.memory.owner = "other, 1";
  BOOST_TEST((a != b));
  BOOST_TEST(!same_bits(a, b));
}

BOOST_AUTO_TEST_SUITE_END()
