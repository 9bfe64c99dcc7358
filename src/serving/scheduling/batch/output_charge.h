#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "base/byte_budget.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// Smaller outputs are not charged: the limits of a connection bound them. Nor are outputs in a device's memory: no
// client waits for them there.
inline constexpr size_t kChargedOutputBytesMin = 4096;

// Charges the memory of outputs to `budget` until its last user releases it, which is when clients have read their
// responses or are gone. Replaces the data by slices that hold the charge. Returns true if anything was charged.
// RESOURCE_EXHAUSTED if there is no room; `tensors` is empty then.
base::Result<bool> ChargeOutputs(base::ByteBudget& budget, std::vector<core::InferTensor>& tensors);

// Returns the error for outputs of this many bytes, for which there is no room.
base::Status OutputsRefused(const base::ByteBudget& budget, uint64_t bytes);

// The charges of one execution: first for memory that its engine allocates, then for outputs that wait for their
// clients. Thread-safe, except for Begin().
class OutputCharges final {
 public:
  // If `budget` is null, nothing is charged. `count`, if not null, is set once anything has been charged.
  OutputCharges(base::ByteBudget* budget, std::atomic<bool>* count) : budget_(budget), count_(count) {}

  void Begin() { refused_bytes_.store(0, std::memory_order_relaxed); }
  // Allocates memory for an output. Throws std::bad_alloc also if the budget has no room.
  base::Buffer Allocate(size_t bytes);
  // Charges outputs for as long as they are in use, in place of what was allocated. RESOURCE_EXHAUSTED if there is no
  // room.
  base::Status Charge(std::vector<core::InferTensor>& tensors);
  // Releases the charge of memory that was allocated, and is in no response.
  void ReleaseAllocated();
  // Adds to a RESOURCE_EXHAUSTED that the budget had no room for an output, if that was the cause.
  void Explain(base::Status& status) const;

 private:
  base::ByteBudget* const budget_;
  std::atomic<bool>* const count_;
  std::atomic<uint64_t> allocated_bytes_{0};  // charged, and not in a response yet
  std::atomic<uint64_t> refused_bytes_{0};    // of the last output without room
};

}  // namespace inferd::scheduling
