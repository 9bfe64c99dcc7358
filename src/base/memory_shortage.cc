#include "base/memory_shortage.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>

namespace inferd::base {

namespace {

std::atomic<size_t> reserve_bytes{0};
std::atomic<void*> reserve{nullptr};
std::atomic<bool> is_short{false};
thread_local bool dropping = false;

// [new.handler]: makes more memory available, or throws.
void GiveUpReserve() {
  void* const given_up = reserve.exchange(nullptr);
  is_short.store(true, std::memory_order_relaxed);
  if (given_up == nullptr) throw std::bad_alloc();
  std::free(given_up);
}

}  // namespace

void KeepMemoryReserve(size_t bytes) {
  reserve_bytes.store(bytes);
  is_short.store(true);
  static_cast<void>(RestoreMemoryReserve());
  std::set_new_handler(GiveUpReserve);
}

bool MemoryIsShort() { return is_short.load(std::memory_order_relaxed); }

bool RestoreMemoryReserve() {
  if (!MemoryIsShort()) return true;
  if (reserve.load() == nullptr) {
    void* const block = std::malloc(reserve_bytes.load());
    if (block == nullptr) return false;
    void* none = nullptr;
    if (!reserve.compare_exchange_strong(none, block)) std::free(block);
  }
  is_short.store(false, std::memory_order_relaxed);
  return true;
}

bool DropsForWantOfMemory() { return dropping || std::uncaught_exceptions() > 0; }

DroppingForWantOfMemory::DroppingForWantOfMemory() : outer_(std::exchange(dropping, true)) {}
DroppingForWantOfMemory::~DroppingForWantOfMemory() { dropping = outer_; }

}  // namespace inferd::base
