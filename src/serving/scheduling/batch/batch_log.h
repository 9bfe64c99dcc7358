#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "serving/core/model/scheduler_report.h"

namespace inferd::scheduling {

// A scheduler's latest executions, for its report. Adding one costs a copy of a few words. Not thread-safe.
class BatchLog final {
 public:
  // `started_ns`: base::Clock::NowNs; record.started_wall_ms is filled in by Read().
  void Add(int64_t started_ns, const core::BatchRecord& record);

  // The latest last. `now_ns` and `wall_ns`: the clock's, at the same moment.
  std::vector<core::BatchRecord> Read(int64_t now_ns, int64_t wall_ns) const;

 private:
  struct Entry {
    int64_t started_ns = 0;
    core::BatchRecord record;
  };
  std::vector<Entry> entries_;  // a ring once it is full; a model that is hardly used has a small one
  size_t next_ = 0;
};

}  // namespace inferd::scheduling
