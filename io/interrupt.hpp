#pragma once
/// Turns SIGINT and SIGTERM into a request to stop, while an object of this class lives. Objects may nest: the request
/// is forgotten when the outermost one begins.

#include <csignal>

namespace emmy {

class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;

private:
  struct sigaction old_int_ {
  }, old_term_{};
};

} // namespace emmy
