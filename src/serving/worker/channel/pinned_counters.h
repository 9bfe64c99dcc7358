#pragma once

#include <memory>

#include "base/status.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/worker/channel/shared_memory.h"

namespace inferd::worker {

// What becomes of a worker process's pool of pinned memory, in memory that it shares with its server. The worker
// writes it, and may write anything: the server shows it, and relies on nothing. Immutable but for the descriptor.
class PinnedCounters final {
 public:
  // RESOURCE_EXHAUSTED: the system gives no memory.
  static base::Result<std::shared_ptr<PinnedCounters>> Create();
  // The other side's; `descriptor` stays the caller's. INVALID_ARGUMENT: it is no such memory.
  static base::Result<std::shared_ptr<PinnedCounters>> Open(int descriptor);
  PinnedCounters(const PinnedCounters&) = delete;
  PinnedCounters& operator=(const PinnedCounters&) = delete;

  // What a worker opens; -1 in memory that was opened, and once it was sent.
  int descriptor() const { return memory_.descriptor(); }
  void Sent() { memory_.CloseDescriptor(); }

  // Keeps the memory.
  static std::shared_ptr<enginehost::PinnedUse> Use(const std::shared_ptr<PinnedCounters>& counters);

 private:
  explicit PinnedCounters(SharedMemory memory) : memory_(std::move(memory)) {}

  SharedMemory memory_;
};

}  // namespace inferd::worker
