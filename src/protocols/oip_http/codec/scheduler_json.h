#pragma once

#include <string>

#include "serving/core/model/scheduler_report.h"

// The body of GET v2/models/M/scheduler (docs/http-api.md, "Scheduling"). Pure.

namespace inferd::oip_http {

// Times are microseconds in members that end in _us. "tuning" and "concurrency" are written only if they are on.
std::string SchedulerJson(const core::SchedulerReport& report);

// Returns one sentence: "The last 64 executions had 1 to 8 rows, 3.2 on average: 61 began because an instance was idle,
// 3 were full."
std::string SchedulerSummary(const core::SchedulerReport& report);

}  // namespace inferd::oip_http
