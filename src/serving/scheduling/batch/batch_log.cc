#include "serving/scheduling/batch/batch_log.h"

namespace inferd::scheduling {

void BatchLog::Add(int64_t started_ns, const core::BatchRecord& record) {
  if (entries_.size() < core::SchedulerReport::kRecentMax) {
    entries_.push_back({started_ns, record});
    return;
  }
  entries_[next_] = {started_ns, record};
  next_ = (next_ + 1) % entries_.size();
}

std::vector<core::BatchRecord> BatchLog::Read(int64_t now_ns, int64_t wall_ns) const {
  std::vector<core::BatchRecord> records;
  records.reserve(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[(next_ + i) % entries_.size()];
    records.push_back(entry.record);
    records.back().started_wall_ms = (wall_ns - (now_ns - entry.started_ns)) / 1'000'000;
  }
  return records;
}

}  // namespace inferd::scheduling
