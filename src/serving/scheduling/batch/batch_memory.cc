#include "serving/scheduling/batch/batch_memory.h"

#include <algorithm>
#include <utility>

namespace inferd::scheduling {

namespace {

constexpr size_t kExecutionsMax = 64;
constexpr size_t kEntriesMax = 256;

}  // namespace

std::unique_ptr<QueueEntry> BatchMemory::NewEntry() {
  if (entries_.empty()) return std::make_unique<QueueEntry>();
  std::unique_ptr<QueueEntry> entry = std::move(entries_.back());
  entries_.pop_back();
  return entry;
}

FormedBatch BatchMemory::Form(std::vector<std::unique_ptr<QueueEntry>>& members, core::BatchReason reason) {
  FormedBatch batch;
  batch.execution = NewExecution();
  batch.may_run_inline = true;
  batch.oldest_ns = members.front()->queued.queued_ns;
  batch.record.reason = reason;
  batch.record.requests = static_cast<int64_t>(members.size());
  for (std::unique_ptr<QueueEntry>& member : members) {
    const core::QueuedRequest& queued = member->queued;
    batch.bytes = std::max(batch.bytes, queued.request->InputBytes());
    batch.may_run_inline = batch.may_run_inline && queued.request->parameters.empty();
    batch.oldest_ns = std::min(batch.oldest_ns, queued.queued_ns);
    batch.record.rows += queued.layout.rows;
    batch.execution->Add(std::move(member));
  }
  members.clear();
  return batch;
}

void BatchMemory::Recycle(std::unique_ptr<BatchExecution> execution,
                          std::vector<std::unique_ptr<QueueEntry>>& entries) {
  if (execution != nullptr && executions_.size() < kExecutionsMax) executions_.push_back(std::move(execution));
  for (auto& entry : entries) {
    if (entries_.size() < kEntriesMax) entries_.push_back(std::move(entry));
  }
  entries.clear();
}

BatchExecution* BatchMemory::NewExecution() {
  if (executions_.empty()) return std::make_unique<BatchExecution>(context_).release();
  BatchExecution* execution = executions_.back().release();
  executions_.pop_back();
  return execution;
}

}  // namespace inferd::scheduling
