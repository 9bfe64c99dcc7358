#include "core/model/response_statistics.h"

namespace inferd::core {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

uint64_t NotNegative(int64_t ns) { return ns > 0 ? static_cast<uint64_t>(ns) : 0; }

}  // namespace

ResponseStatistics::~ResponseStatistics() {
  for (auto& block : blocks_) delete block.load(kRelaxed);
}

void ResponseStatistics::Duration::Add(uint64_t n) {
  count.fetch_add(1, kRelaxed);
  ns.fetch_add(n, kRelaxed);
}

DurationStat ResponseStatistics::Duration::Read() const {
  return {.count = count.load(kRelaxed), .ns = ns.load(kRelaxed)};
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
  row.infer.Add(NotNegative(infer_ns));
  row.output.Add(NotNegative(output_ns));
  row.outcomes[static_cast<size_t>(outcome)].Add(NotNegative(infer_ns) + NotNegative(output_ns));
}

std::vector<ModelStatistics::Response> ResponseStatistics::Read() const {
  std::vector<ModelStatistics::Response> responses;
  for (size_t i = 0; i < kIndicesMax; ++i) {
    const Block* block = blocks_[i / kRowsPerBlock].load(std::memory_order_acquire);
    if (block == nullptr) continue;
    const Row& row = (*block)[i % kRowsPerBlock];
    const auto of = [&row](ResponseOutcome outcome) { return row.outcomes[static_cast<size_t>(outcome)].Read(); };
    if (row.infer.count.load(kRelaxed) == 0) continue;
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
