#pragma once

#include <memory>

#include "base/status.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/worker/channel/shared_memory.h"

namespace inferd::worker {

// The usage counters of a worker process's pool of pinned memory, shared with its server. The worker may write anything
// there: the server shows the values and relies on none. Immutable except for the descriptor.
class PinnedCounters final {
 public:
  // RESOURCE_EXHAUSTED if the system has no memory.
  static base::Result<std::shared_ptr<PinnedCounters>> Create();
  // Maps the other side's memory. The caller keeps ownership of `descriptor`. INVALID_ARGUMENT if it is no such memory.
  static base::Result<std::shared_ptr<PinnedCounters>> Open(int descriptor);
  PinnedCounters(const PinnedCounters&) = delete;
  PinnedCounters& operator=(const PinnedCounters&) = delete;

  // The descriptor that a worker opens; -1 in memory that was opened, and after Sent().
  int descriptor() const { return memory_.descriptor(); }
  void Sent() { memory_.CloseDescriptor(); }

  // Returns the counters. The result keeps the memory alive.
  static std::shared_ptr<enginehost::PinnedUse> Use(const std::shared_ptr<PinnedCounters>& counters);

 private:
  explicit PinnedCounters(SharedMemory memory) : memory_(std::move(memory)) {}

  SharedMemory memory_;
};

}  // namespace inferd::worker
