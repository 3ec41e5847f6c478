#pragma once
/// How large the files of rows are going to be, told before a run fills the disk.

#include "io/loading.hpp"

#include <string>

namespace emmy {

struct OutputSize {
  std::string files;            ///< all of them
  std::string entry = "output"; ///< of the deck, which asks for the largest
  double rows = 0, columns = 0; ///< of the largest
  long stride = 1;              ///< of the largest: steps between rows
  double most = 0;              ///< bytes of all files, if all numbers change
  double least = 0;             ///< bytes of a motion in a plane, half of whose numbers are zero
};

/// Of a run that begins after so many of its steps.
OutputSize output_size(const Loaded& m, long done = 0);

/// A sentence about a file that is large, or larger than the space that is free [bytes]; empty for others.
std::string output_warning(const Loaded& m, double free);

/// The error that ends a run before it begins, because its file cannot fit; empty if it may.
std::string output_refusal(const Loaded& m, double free, long done);

/// Bytes that are free for a directory, there or yet to be made; those of a history that will be replaced included.
double free_space(const std::string& directory);

} // namespace emmy
