#include "serving/tracing/export_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inferd::tracing {

ExportQueue::ExportQueue(std::unique_ptr<TraceExporter> exporter, const Limits& limits, Counters counters)
    : exporter_(std::move(exporter)), limits_(limits), counters_(std::move(counters)), thread_([this] { Run(); }) {}

ExportQueue::~ExportQueue() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
}

void ExportQueue::Put(TraceRecord&& record) {
  bool wake = false;
  {
    base::MutexLock lock(mutex_);
    if (waiting_.size() >= limits_.records_max) return counters_.dropped->Add();
    waiting_.push_back(std::move(record));
    wake = waiting_.size() == 1 || waiting_.size() == limits_.batch_max;
  }
  if (wake) changed_.NotifyOne();
}

// Sleeps until the first record, and then until a batch is full or the delay is over.
void ExportQueue::Run() {
  base::MutexLock lock(mutex_);
  while (!stopping_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      changed_.Wait(mutex_);
      continue;
    }
    const auto deadline = std::chrono::steady_clock::now() + limits_.delay;
    while (!stopping_ && waiting_.size() < limits_.batch_max) {
      if (changed_.WaitUntil(mutex_, deadline) == std::cv_status::timeout) break;
    }
    std::vector<TraceRecord> records = TakeLocked();
    lock.unlock();
    const bool exported = Export(std::move(records));
    lock.lock();
    if (stopping_ && !exported) {
      counters_.dropped->Add(waiting_.size());
      return;
    }
  }
}

std::vector<TraceRecord> ExportQueue::TakeLocked() {
  const size_t count = std::min(waiting_.size(), limits_.batch_max);
  const auto end = waiting_.begin() + static_cast<ptrdiff_t>(count);
  std::vector<TraceRecord> records(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return records;
}

bool ExportQueue::Export(std::vector<TraceRecord> records) {
  const size_t count = records.size();
  const bool exported = exporter_->Export(std::move(records));
  (exported ? counters_.exported : counters_.dropped)->Add(count);
  return exported;
}

}  // namespace inferd::tracing
