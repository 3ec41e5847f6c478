#include "io/remedies.hpp"

#include <string>
#include <utility>

namespace emmy {

const char* advice(Remedy remedy) {
  switch (remedy) {
  case Remedy::more_iterations:
    return "more iterations may be allowed (solver.max_iterations)";
  case Remedy::one_sequence:
    return "use 'kick_drift_kick', or 'restart_every' and 'restart_at' where loads jump";
  case Remedy::tolerance:
    return "'tolerance' of 'solver' in the deck says how exact a step must be";
  case Remedy::none:
    break;
  }
  return "";
}

namespace {

class AdvisedIntegrator final : public Integrator {
public:
  explicit AdvisedIntegrator(std::unique_ptr<Integrator> integrator) : integrator_(std::move(integrator)) {}

  StepReport step(State& state, double h) override {
    StepReport report = integrator_->step(state, h);
    if (report.remedy != Remedy::none)
      (report.converged ? report.warning : report.why) += std::string("\n  ") + advice(report.remedy);
    return report;
  }

  void begin(State& state) override { integrator_->begin(state); }
  Step last_step() const override { return integrator_->last_step(); }
  MovedStep last_moved_step() const override { return integrator_->last_moved_step(); }
  std::vector<StepStage> last_stages() const override { return integrator_->last_stages(); }
  StepBooks books(const State& n1) const override { return integrator_->books(n1); }
  const contact::Happenings* happenings() const override { return integrator_->happenings(); }
  std::string description() const override { return integrator_->description(); }

private:
  std::unique_ptr<Integrator> integrator_;
};

} // namespace

std::unique_ptr<Integrator> advised(std::unique_ptr<Integrator> integrator) {
  return std::make_unique<AdvisedIntegrator>(std::move(integrator));
}

} // namespace emmy
