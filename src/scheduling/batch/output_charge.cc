#include "scheduling/batch/output_charge.h"

#include <string>
#include <utility>

namespace inferd::scheduling {

base::Result<bool> ChargeOutputs(base::ByteBudget& budget, std::vector<core::InferTensor>& tensors) {
  bool charged = false;
  for (core::InferTensor& tensor : tensors) {
    const size_t bytes = tensor.data.size();
    if (bytes < kChargedOutputBytesMin) continue;
    if (!budget.TryCharge(bytes)) {
      tensors.clear();
      return std::unexpected(OutputsRefused(budget, bytes));
    }
    charged = true;
    const std::byte* data = tensor.data.data();
    const base::MemoryPlace place = tensor.data.place();
    // What it holds is let go of before it counts no more.
    auto release = [&budget, bytes, held = std::move(tensor.data)]() mutable {
      held = {};
      budget.Release(bytes);
    };
    // The bytes are only read from here on.
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

}  // namespace inferd::scheduling
