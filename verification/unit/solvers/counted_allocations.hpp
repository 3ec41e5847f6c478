#pragma once
/// Replaces malloc and operator new by ones that count, for the one source of a program that includes this. Allocations
/// are told apart by who asks: emmy, Eigen and the standard library's templates are compiled into the program, PETSc
/// and its factorisations are shared libraries.

#include <cerrno>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
extern char __executable_start, etext; // ends of this program's code, from the linker
}

namespace {

struct Allocations {
  long own = 0;     ///< asked for by this program's code
  long others = 0;  ///< asked for by shared libraries
  double bytes = 0; ///< of both
};
Allocations counted;
bool counting = false;

void note(const void* caller, std::size_t size) {
  if (!counting)
    return;
  const bool own = caller >= &__executable_start && caller < &etext;
  ++(own ? counted.own : counted.others);
  counted.bytes += static_cast<double>(size);
}

} // namespace

extern "C" {
void* malloc(std::size_t size) {
  note(__builtin_return_address(0), size);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note(__builtin_return_address(0), count * size);
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  note(__builtin_return_address(0), size);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  note(__builtin_return_address(0), size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note(__builtin_return_address(0), size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  note(__builtin_return_address(0), size);
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
}

/// Counted as this program's own whoever calls: the standard library allocates on behalf of it.
void* operator new(std::size_t size) {
  note(&__executable_start, size);
  if (void* block = __libc_malloc(size))
    return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace {

/// What is allocated while `work` runs.
template <class Work>
Allocations allocations_of(Work work) {
  counted = {};
  counting = true;
  work();
  counting = false;
  return counted;
}

} // namespace
