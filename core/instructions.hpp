#pragma once

namespace emmy {

/// Which instructions kernels are compiled to. Results differ by rounding.
enum class Instructions { portable, avx2 };

/// The best that this processor has.
Instructions best_instructions();

const char* word_for(Instructions instructions);

} // namespace emmy
