#include "io/interrupt.hpp"

namespace emmy {

namespace {
volatile std::sig_atomic_t signalled = 0; // the only thing that a signal handler may touch
int alive = 0;                            // objects
void note(int) {
  signalled = 1;
}
} // namespace

Interrupt::Interrupt() {
  if (alive++ == 0)
    signalled = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  --alive;
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool Interrupt::requested() const {
  return signalled != 0;
}

} // namespace emmy
