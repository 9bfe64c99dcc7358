#include "protocols/clientshm/guarded_range.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "base/mutex.h"

namespace inferd::clientshm {

// A range as the signal's handler sees it. The handler takes no lock: `begin` is 0 while the other two fields change.
// The range of a fault stays in its slot meanwhile, because the faulting code keeps it mapped. A slot that is read in
// the middle of a change belongs to another range, whose addresses do not include the fault.
struct GuardedRange::Slot {
  std::atomic<uintptr_t> begin{0};  // 0 if free
  std::atomic<uintptr_t> end{0};
  std::atomic<uintptr_t> replaced{0};  // pages from here to the end are zeros; equals `end` if none are
};

struct GuardedSlots {
  std::array<GuardedRange::Slot, GuardedRange::kRangesMax> slots;
  std::atomic<size_t> used_max{0};  // no slot from there on was ever used
  base::Mutex mutex;                // for threads that take a free slot
};

namespace {

constexpr uintptr_t kPageMask = 4095;

constinit GuardedSlots table;
constinit struct sigaction before = {};

// Replaces each page once, however many threads miss it. Returns false if it is in no range, or there is no memory.
bool Replace(uintptr_t address) {
  const uintptr_t page = address & ~kPageMask;
  const size_t used = table.used_max.load();
  for (size_t i = 0; i < used; ++i) {
    auto& slot = table.slots[i];
    const uintptr_t begin = slot.begin.load();
    const uintptr_t end = slot.end.load();
    if (begin == 0 || page < begin || page >= end || slot.begin.load() != begin) continue;
    uintptr_t replaced = slot.replaced.load();
    while (page < replaced) {
      if (!slot.replaced.compare_exchange_weak(replaced, page)) continue;
      const long mapped =  // NOLINT(google-runtime-int): avoids a sanitizer's mmap, which handlers must not call
          syscall(SYS_mmap, page, replaced - page, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
      return mapped == static_cast<long>(page);  // NOLINT(google-runtime-int)
    }
    return true;  // another thread has just replaced it
  }
  return false;
}

void OnSignal(int signal, siginfo_t* info, void*) {
  const int error = errno;
  if (info->si_code == BUS_ADRERR && Replace(reinterpret_cast<uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  // Acts as without this handler: the instruction faults again, and a sent signal is sent again.
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) static_cast<void>(raise(signal));
}

void HandleSignal() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
  });
}

}  // namespace

GuardedRange::GuardedRange(std::span<std::byte> pages) {
  HandleSignal();
  const base::MutexLock lock(table.mutex);
  const auto free = std::ranges::find_if(
      table.slots, [](const Slot& slot) { return slot.begin.load() == 0 && slot.end.load() == 0; });
  if (free == table.slots.end()) return;
  slot_ = &*free;
  const auto begin = reinterpret_cast<uintptr_t>(pages.data());
  slot_->replaced.store(begin + pages.size());
  slot_->end.store(begin + pages.size());
  slot_->begin.store(begin);
  const auto used = static_cast<size_t>(free - table.slots.begin()) + 1;
  if (used > table.used_max.load()) table.used_max.store(used);
}

GuardedRange::~GuardedRange() {
  if (slot_ == nullptr) return;
  slot_->begin.store(0);
  slot_->end.store(0);
}

bool GuardedRange::broken() const { return slot_ != nullptr && slot_->replaced.load() != slot_->end.load(); }

}  // namespace inferd::clientshm
