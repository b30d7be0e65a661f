#include "counting_new.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};
std::atomic<std::size_t> live{0};
std::atomic<long> untilFailure{-1};

void* takeOrNull(std::size_t size, std::size_t alignment) noexcept {
  void* p = alignment > alignof(std::max_align_t)
                ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                : std::malloc(size ? size : 1);
  if (p == nullptr) return nullptr;
  count.fetch_add(1, std::memory_order_relaxed);
  live.fetch_add(malloc_usable_size(p), std::memory_order_relaxed);
  return p;
}

void* take(std::size_t size, std::size_t alignment) {
  if (untilFailure.load(std::memory_order_relaxed) >= 0 && untilFailure.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* p = takeOrNull(size, alignment)) return p;
  throw std::bad_alloc();
}

void give(void* p) noexcept {
  if (p == nullptr) return;
  live.fetch_sub(malloc_usable_size(p), std::memory_order_relaxed);
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return take(size, 0); }
void* operator new[](std::size_t size) { return take(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return take(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return takeOrNull(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return takeOrNull(size, 0); }
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give(p); }

namespace cairn::test {
std::size_t allocationCount() { return count.load(); }
std::size_t liveBytes() { return live.load(); }
void failAfter(long news) { untilFailure.store(news); }
}  // namespace cairn::test
