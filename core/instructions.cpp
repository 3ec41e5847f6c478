#include "core/instructions.hpp"

namespace emmy {

Instructions best_instructions() {
#ifdef EMMY_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return Instructions::avx2;
#endif
  return Instructions::portable;
}

const char* word_for(Instructions instructions) {
  return instructions == Instructions::avx2 ? "AVX2" : "portable";
}

} // namespace emmy
