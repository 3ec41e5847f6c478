#pragma once
/// Steps of free bodies with contact, algorithm F of docs/theory/contact.md: fly without contact, find what closes,
/// find impulses, look again for what these close; and the same with the step split at impacts.

#include "solvers/contact/contact_recorder.hpp"
#include "solvers/contact/impact_locator.hpp"
#include "solvers/contact/impulse_solve.hpp"
#include "solvers/contact/lookout.hpp"
#include "solvers/contact/stabiliser.hpp"
#include "solvers/integrators/integrator.hpp"

#include <optional>

namespace emmy {

/// What is done with a step whose impulses do not meet the laws of contact to the tolerance. Energy and momenta are
/// exact all the same.
enum class NotConverged { warn, halve, stop };

struct ContactSteps {
  Arms arms = Arms::common;
  bool stabilise = true; ///< correct positions of contacts that stay pressed into each other
  bool located = false;  ///< steps are split at impacts that are isolated in time
  contact::ContactSolverOptions solver;
  NotConverged not_converged = NotConverged::warn;
};

/// What acts on bodies in a step beside contact.
struct KnownLoads {
  Wrenches given;                  ///< part that does work from outside; empty if nothing acts at all
  Wrenches conservative;           ///< part that has a potential
  double largest_acceleration = 0; ///< [m/s²]
};

class ContactStepper {
public:
  /// `ports` by body, `body_of_port` the reverse, -1 for the ground.
  ContactStepper(contact::Scene scene, std::vector<Index> ports, std::vector<Index> body_of_port,
                 const ContactSteps& options);
  ContactStepper(const ContactStepper&) = delete;
  ContactStepper& operator=(const ContactStepper&) = delete;

  /// Advances all bodies by h from the time t, with the loads that `step` has. `before` is what the step before left.
  /// If the report says that it failed, the motions in `step` are of no meaning; without a reason, the turn of
  /// `step.lost_body()` was not found.
  StepReport advance(FreeStep& step, double t, double h, const ContactMemory& before, const KnownLoads& loads);
  /// The next step starts somewhere else than where the last one ended.
  void forget() { lookout_.forget(); }

  const ContactRecorder& recorder() const { return recorder_; }

private:
  StepReport advance_located(FreeStep& step, double t, double h);
  /// Takes a step at once, with all contacts that close in it.
  StepReport advance_stepped(FreeStep& step, double t, double h);
  /// The same for a step that is flown already. `is_close`: something may be near, namely the pairs of the lookout.
  StepReport advance_at_once(FreeStep& step, double t, bool is_close);
  /// The time from the start of a step that is flown at which surfaces first touch; nothing if they do not, or if the
  /// step has to be taken at once. It is flown as before then.
  std::optional<double> find_touch(FreeStep& step);
  /// Flies to that time and gives the impact its impulses.
  StepReport advance_to_impact(FreeStep& step, double t, double touch);
  void find_contacts(FreeStep& step);
  /// Finds the impulses of contacts_, and contacts that these bring about.
  StepReport solve_contacts(FreeStep& step);
  bool add_closed(const FreeStep& step);
  StepReport judge(const ImpulseReport& solved);
  void finish_flight(FreeStep& step, double time);
  /// Gaps at the end of the step: those of contacts, for the record, and those that stay closed.
  void look_back(FreeStep& step);
  template <class Visitor>
  void each_end_gap(const FreeStep& step, const Visitor& visit);

  double reserve(const FreeStep& step, const contact::SurfacePair& pair) const;
  double slop(const FreeStep& step) const;
  double slow(const FreeStep& step) const;
  const FreeContact* contact_of(const ContactKey& key) const;
  std::string name(std::int32_t surface) const;

  contact::Scene scene_;
  ContactSteps options_;
  ContactFinder finder_;
  Lookout lookout_;
  ImpulseSolve impulses_;
  ImpactLocator locator_;
  Stabiliser stabiliser_;
  ContactRecorder recorder_;
  const KnownLoads* loads_ = nullptr;
  std::vector<FreeContact> contacts_; ///< of the step, sorted by key
  std::vector<contact::ContactPoint> points_;
};

} // namespace emmy
