#include "serving/worker/channel/doorbell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace inferd::worker {

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

// Both sides write one word and then read the other side's word, so both orders must be total.
void Doorbell::Ring() {
  Count();
  if (waiting.load(std::memory_order_seq_cst) == 0) return;
  // A side that rings again before the other has run need not wake it twice.
  if (waiting.exchange(0, std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &rung, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::Wait(uint32_t seen, int64_t timeout_ns) {
  waiting.store(1, std::memory_order_seq_cst);
  if (rung.load(std::memory_order_seq_cst) == seen) {
    timespec timeout = {};
    timeout.tv_sec = static_cast<time_t>(timeout_ns / kNsPerSecond);
    timeout.tv_nsec = static_cast<long>(timeout_ns % kNsPerSecond);
    syscall(SYS_futex, &rung, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  waiting.store(0, std::memory_order_seq_cst);
}

}  // namespace inferd::worker
