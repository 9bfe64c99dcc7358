#include "serving/core/model/response_statistics.h"

#include <algorithm>

namespace inferd::core {

ResponseStatistics::~ResponseStatistics() {
  for (auto& block : blocks_) delete block.load(std::memory_order_relaxed);
}

void ResponseStatistics::Record(uint64_t index, ResponseOutcome outcome, int64_t infer_ns, int64_t output_ns) {
  if (index >= kIndicesMax) return;
  auto& slot = blocks_[index / kRowsPerBlock];
  Block* block = slot.load(std::memory_order_acquire);
  if (block == nullptr) {
    auto fresh = std::make_unique<Block>();
    if (slot.compare_exchange_strong(block, fresh.get(), std::memory_order_acq_rel)) block = fresh.release();
  }
  Row& row = (*block)[index % kRowsPerBlock];
  row.infer.Add(infer_ns);
  row.output.Add(output_ns);
  row.outcomes[static_cast<size_t>(outcome)].Add(std::max<int64_t>(infer_ns, 0) + std::max<int64_t>(output_ns, 0));
}

std::vector<ModelStatistics::Response> ResponseStatistics::Read() const {
  std::vector<ModelStatistics::Response> responses;
  for (size_t i = 0; i < kIndicesMax; ++i) {
    const Block* block = blocks_[i / kRowsPerBlock].load(std::memory_order_acquire);
    if (block == nullptr) continue;
    const Row& row = (*block)[i % kRowsPerBlock];
    const auto of = [&row](ResponseOutcome outcome) { return row.outcomes[static_cast<size_t>(outcome)].Read(); };
    if (row.infer.Read().count == 0) continue;
    responses.push_back({.index = i,
                         .compute_infer = row.infer.Read(),
                         .compute_output = row.output.Read(),
                         .success = of(ResponseOutcome::kSuccess),
                         .fail = of(ResponseOutcome::kFail),
                         .empty = of(ResponseOutcome::kEmpty),
                         .cancel = of(ResponseOutcome::kCancel)});
  }
  return responses;
}

}  // namespace inferd::core
