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

// Smaller outputs are not counted: what a connection has of these is bounded by its own limits. Nor are those in memory
// of a device: no client waits for them there.
inline constexpr size_t kChargedOutputBytesMin = 4096;

// Charges the memory of outputs to `budget` until their last user lets go of it: until clients have read their answers,
// or are gone. Data is replaced by slices that hold the charge. RESOURCE_EXHAUSTED: there is no room; `tensors` hold
// nothing afterwards. True: anything was charged.
base::Result<bool> ChargeOutputs(base::ByteBudget& budget, std::vector<core::InferTensor>& tensors);

// Why outputs of so many bytes cannot be kept.
base::Status OutputsRefused(const base::ByteBudget& budget, uint64_t bytes);

// The outputs of one execution, as they count against the budget: memory that its engine asks for, and then outputs
// that wait for their clients. Thread-safe, but for Begin().
class OutputCharges final {
 public:
  // `budget` null: outputs do not count. `count`, if not null, is set once some do.
  OutputCharges(base::ByteBudget* budget, std::atomic<bool>* count) : budget_(budget), count_(count) {}

  void Begin() { refused_bytes_.store(0, std::memory_order_relaxed); }
  // Throws std::bad_alloc also where the budget has no room.
  base::Buffer Allocate(size_t bytes);
  // From here on these count for as long as anything needs them. RESOURCE_EXHAUSTED: there is no room.
  base::Status Charge(std::vector<core::InferTensor>& tensors);
  // What was allocated, and is in no response.
  void ReleaseAllocated();
  // Says of a RESOURCE_EXHAUSTED that the budget had no room for an output, if that is so.
  void Explain(base::Status& status) const;

 private:
  base::ByteBudget* const budget_;
  std::atomic<bool>* const count_;
  std::atomic<uint64_t> allocated_bytes_{0};  // charged, and not in a response yet
  std::atomic<uint64_t> refused_bytes_{0};    // of an output for which there was no room
};

}  // namespace inferd::scheduling
