#pragma once
/// Enters what contacts and loads did in a step: in the ledger, in what is written of impacts, and in what the next
/// step remembers.

#include "contact/happenings.hpp"
#include "core/ledger.hpp"
#include "solvers/contact/free_contact.hpp"

namespace emmy {

class ContactRecorder {
public:
  explicit ContactRecorder(const ContactFinder& finder);

  /// A new step, after one that left these records.
  void begin(const ContactMemory& before);
  /// A flight of the step as it is flown, before it is finished: work and impulses from outside, exact whatever the
  /// impulses are [C3], [C4], [C30]. `given` are the loads that do work from outside.
  void book_flight(const FreeStep& step, const std::vector<FreeContact>& contacts, const Wrenches& given);
  /// Contacts of a flight that is finished.
  void note(const FreeStep& step, double time, const std::vector<FreeContact>& contacts);
  /// A point at the end of the step.
  void note_gap(const contact::ContactPoint& point, bool is_contact);
  void note_residual(double residual) { happenings_.residual = std::max(happenings_.residual, residual); }
  void warn(const std::string& text) { happenings_.warning = text; }
  void end(double h);

  StepBooks& books() { return books_; }
  const StepBooks& books() const { return books_; }
  const contact::Happenings& happenings() const { return happenings_; }
  const ContactMemory& records() const { return records_; }
  /// Of the step before, null if there is none.
  const ContactRecord* before(const ContactKey& key) const;

private:
  void note_total(const FreeStep& step, const FreeContact& c, const Vec3& at);

  const ContactFinder& finder_;
  const ContactMemory* before_ = nullptr;
  ContactMemory records_;
  contact::Happenings happenings_;
  StepBooks books_;
};

} // namespace emmy
