#include "engines/onnxruntime/graph_runs.h"

#include <atomic>

namespace inferd::onnxruntime {

namespace {

// An instance may get the session of an earlier one, and must not replay graphs with that one's addresses.
int32_t NextGraph() {
  static std::atomic<int32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::vector<int64_t> GraphRuns::KeyOf(const inferd_batch& batch) {
  std::vector<int64_t> key;
  for (size_t i = 0; i < batch.input_count; ++i) {
    const inferd_input& input = *batch.inputs[i];
    key.push_back(input.index);
    key.push_back(static_cast<int64_t>(input.rank));
    key.insert(key.end(), input.shape, input.shape + input.rank);
  }
  key.push_back(-1);
  key.insert(key.end(), batch.outputs, batch.outputs + batch.output_count);
  return key;
}

OnnxRun* GraphRuns::Find(const inferd_batch& batch) {
  std::vector<int64_t> key = KeyOf(batch);
  if (const auto known = runs_.find(key); known != runs_.end()) return known->second.get();
  if (recorded_ == kGraphsMax) return nullptr;
  auto options = model_->MakeRunOptions(false, NextGraph());
  if (!options.has_value()) return nullptr;
  ++recorded_;
  auto& run = runs_[std::move(key)];
  run = std::make_unique<OnnxRun>(model_, *std::move(options));
  return run.get();
}

}  // namespace inferd::onnxruntime
