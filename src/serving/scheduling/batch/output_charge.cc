#include "serving/scheduling/batch/output_charge.h"

#include <new>
#include <string>
#include <utility>

namespace inferd::scheduling {

base::Result<bool> ChargeOutputs(base::ByteBudget& budget, std::vector<core::InferTensor>& tensors) {
  bool charged = false;
  for (core::InferTensor& tensor : tensors) {
    const size_t bytes = tensor.data.size();
    if (bytes < kChargedOutputBytesMin || !tensor.data.place().readable()) continue;
    if (!budget.TryCharge(bytes)) {
      tensors.clear();
      return std::unexpected(OutputsRefused(budget, bytes));
    }
    charged = true;
    const std::byte* data = tensor.data.data();
    const base::MemoryPlace place = tensor.data.place();
    // Frees the memory before it releases the charge.
    auto release = [&budget, bytes, held = std::move(tensor.data)]() mutable {
      held = {};
      budget.Release(bytes);
    };
    // From here on, the bytes are only read.
    tensor.data = base::BufferSlice(base::Buffer::Wrap(const_cast<std::byte*>(data), bytes, std::move(release), place));
  }
  return charged;
}

base::Status OutputsRefused(const base::ByteBudget& budget, uint64_t bytes) {
  if (bytes > budget.bytes_max()) {
    return base::ResourceExhausted("an output of " + std::to_string(bytes) +
                                   " bytes is more than all outputs may have (" + std::to_string(budget.bytes_max()) +
                                   " bytes, --output-bytes-in-flight-max)");
  }
  return base::ResourceExhausted("the answers that clients have not read yet hold as much memory as they may (" +
                                 std::to_string(budget.bytes_max()) + " bytes, --output-bytes-in-flight-max)");
}

base::Buffer OutputCharges::Allocate(size_t bytes) {
  if (budget_ == nullptr || bytes < kChargedOutputBytesMin) return base::Buffer::Allocate(bytes);
  if (!budget_->TryCharge(bytes)) {
    refused_bytes_.store(bytes, std::memory_order_relaxed);
    throw std::bad_alloc();
  }
  allocated_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return base::Buffer::Allocate(bytes);
}

base::Status OutputCharges::Charge(std::vector<core::InferTensor>& tensors) {
  if (budget_ == nullptr) return base::OkStatus();
  ReleaseAllocated();
  INFERD_ASSIGN_OR_RETURN(const bool charged, ChargeOutputs(*budget_, tensors));
  if (charged && count_ != nullptr) count_->store(true, std::memory_order_relaxed);
  return base::OkStatus();
}

void OutputCharges::ReleaseAllocated() {
  if (budget_ == nullptr || allocated_bytes_.load(std::memory_order_relaxed) == 0) return;
  budget_->Release(allocated_bytes_.exchange(0, std::memory_order_relaxed));
}

void OutputCharges::Explain(base::Status& status) const {
  const uint64_t refused = refused_bytes_.load(std::memory_order_relaxed);
  if (status.code() == base::StatusCode::kResourceExhausted && refused > 0) status = OutputsRefused(*budget_, refused);
}

}  // namespace inferd::scheduling
