/// What helps, in the words of the deck, beside what solvers say.
#include "io/remedies.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace emmy;

namespace {

/// Says the same of every step.
class Told final : public Integrator {
public:
  Told(const Model& model, const StepReport& report)
      : report_(report), state_(model.rest_state()), motions_(model.port_motions()) {}
  StepReport step(State&, double) override { return report_; }
  Step last_step() const override { return {state_, 1, 1, z_, z_}; }
  MovedStep last_moved_step() const override { return {last_step(), motions_}; }
  StepBooks books(const State&) const override { return {}; }
  std::string description() const override { return "told"; }

private:
  StepReport report_;
  State state_;
  VecX z_;
  PortMotions motions_;
};

StepReport said(bool converged, const std::string& why, const std::string& warning, Remedy remedy) {
  StepReport report;
  report.converged = converged;
  report.why = why;
  report.warning = warning;
  report.remedy = remedy;
  const Model model;
  State state = model.rest_state();
  return advised(std::make_unique<Told>(model, report))->step(state, 1);
}

} // namespace

BOOST_AUTO_TEST_SUITE(Remedies)

BOOST_AUTO_TEST_CASE(every_remedy_is_a_sentence) {
  for (const Remedy remedy : {Remedy::more_iterations, Remedy::one_sequence, Remedy::tolerance})
    BOOST_TEST(std::string(advice(remedy)) != "");
  BOOST_TEST(std::string(advice(Remedy::none)) == "");
}

BOOST_AUTO_TEST_CASE(failures_and_warnings_end_with_advice) {
  BOOST_TEST(said(false, "Newton stopped", "", Remedy::more_iterations).why ==
             "Newton stopped\n  more iterations may be allowed (solver.max_iterations)");
  BOOST_TEST(said(true, "", "the two sequences part", Remedy::one_sequence).warning ==
             "the two sequences part\n  use 'kick_drift_kick', or 'restart_every' and 'restart_at' where loads jump");
}

BOOST_AUTO_TEST_CASE(without_a_remedy_nothing_is_added) {
  BOOST_TEST(said(false, "Newton stopped", "", Remedy::none).why == "Newton stopped");
  const StepReport fine = said(true, "", "", Remedy::none);
  BOOST_TEST(fine.why == "");
  BOOST_TEST(fine.warning == "");
}

BOOST_AUTO_TEST_SUITE_END()
