/// Checkpoints as bytes: what is written is read, and nothing else is.
#include "core/archive.hpp"
#include "io/checkpoint/checkpoint.hpp"
#include "io/checkpoint/clock.hpp"
#include "io/digest.hpp"
#include "verification/support/some_checkpoint.hpp"
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using emmy::test::contains;
using emmy::test::some_checkpoint;

namespace {

Bytes all_of(const Checkpoint& c) {
  Bytes bytes;
  ByteWriter{bytes}(c.identity, c.run, c.recorders);
  return bytes;
}

std::string refusal_of(const std::string& bytes) {
  try {
    decode(bytes);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "taken";
}

} // namespace

BOOST_AUTO_TEST_SUITE(CheckpointBytes)

BOOST_AUTO_TEST_CASE(are_read_as_they_were_written) {
  const Checkpoint c = some_checkpoint();
  BOOST_TEST((all_of(decode(encode(c))) == all_of(c)));
}

/// Another arrangement is another format: then this_format in checkpoint.cpp gets the next number, and this test the
/// digest of today.
BOOST_AUTO_TEST_CASE(are_arranged_as_the_format_says) {
  Checkpoint c = some_checkpoint();
  c.identity.version = "any";
  BOOST_TEST(contains(encode(c), "format 3\n"));
  const Bytes bytes = all_of(c);
  BOOST_TEST(digest_of(std::string(bytes.begin(), bytes.end())) == 6376452605195354314U);
}

BOOST_AUTO_TEST_CASE(that_are_cut_anywhere_are_refused) {
  const std::string whole = encode(some_checkpoint());
  for (std::size_t size = 0; size < whole.size(); ++size)
    BOOST_TEST(refusal_of(whole.substr(0, size)) != "taken");
  BOOST_TEST(contains(refusal_of(whole.substr(0, whole.size() - 1)), "ends early"));
  BOOST_TEST(contains(refusal_of(whole + "x"), "something was added"));
}

BOOST_AUTO_TEST_CASE(with_any_bit_changed_are_refused) {
  const std::string whole = encode(some_checkpoint());
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      BOOST_TEST(refusal_of(changed) != "taken");
    }
}

BOOST_AUTO_TEST_CASE(of_other_formats_and_versions_are_refused_with_the_reason) {
  BOOST_TEST(contains(refusal_of("t,x\n0,1\n"), "no checkpoint of emmy"));
  std::string other = encode(some_checkpoint());
  other.replace(other.find("format 3"), 8, "format 9");
  BOOST_TEST(contains(refusal_of(other), "arranges checkpoints in another way"));
  Checkpoint older = some_checkpoint();
  older.identity.version = "0.0.1";
  BOOST_TEST(contains(refusal_of(encode(older)), "written by emmy 0.0.1, and this is emmy " EMMY_VERSION));
}

/// Whatever passes the digest must not crash what reads it: counts that are too large, or bytes that are missing.
BOOST_AUTO_TEST_CASE(that_are_wrong_behind_a_good_digest_are_refused) {
  const Bytes good = all_of(some_checkpoint());
  const std::string payload(good.begin(), good.end());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    std::string changed = payload;
    changed[i] = static_cast<char>(0xff);
    try {
      decode_unchecked(changed);
    } catch (const CheckpointError&) {
      ++refused;
    }
    BOOST_CHECK_THROW(decode_unchecked(payload.substr(0, i)), CheckpointError);
  }
  BOOST_TEST(refused > payload.size() / 10); // all counts, at least
}

BOOST_AUTO_TEST_CASE(are_due_by_steps_time_or_waiting) {
  const auto due = [](const deck::Checkpoint& settings, long step) {
    return CheckpointClock(settings, 0.01).is_due(step);
  };
  const deck::Checkpoint by_time{0.05, 0, 0, 2}, by_steps{0, 7, 0, 2}, none{0.05, 7, 0, 0}, at_once{0, 0, 1e-12, 2};
  BOOST_TEST((due(by_time, 5) && due(by_time, 10) && !due(by_time, 7) && !due(by_time, 0)));
  BOOST_TEST((due(by_steps, 7) && due(by_steps, 14) && !due(by_steps, 5) && !due(by_steps, 0)));
  BOOST_TEST((!due(none, 5) && !due(none, 7) && !CheckpointClock(none, 0.01).is_on()));
  BOOST_TEST(due(at_once, 1));
}

BOOST_AUTO_TEST_SUITE_END()
