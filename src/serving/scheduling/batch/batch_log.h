#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "serving/core/model/scheduler_report.h"

namespace inferd::scheduling {

// The latest executions of a scheduler, for its report. Adding one copies a few words. Not thread-safe.
class BatchLog final {
 public:
  // Adds an execution. `started_ns` is base::Clock::NowNs. Read() fills in record.started_wall_ms.
  void Add(int64_t started_ns, const core::BatchRecord& record);

  // Returns the executions, the latest last. `now_ns` and `wall_ns` are readings of the clock at the same moment.
  std::vector<core::BatchRecord> Read(int64_t now_ns, int64_t wall_ns) const;

 private:
  struct Entry {
    int64_t started_ns = 0;
    core::BatchRecord record;
  };
  std::vector<Entry> entries_;  // a ring once it is full; stays small for a rarely used model
  size_t next_ = 0;
};

}  // namespace inferd::scheduling
