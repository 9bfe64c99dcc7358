#pragma once

#include <cstddef>
#include <cstdint>

#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/batch/batch_execution.h"

namespace inferd::scheduling {

// An execution that is about to run, with its record for the report. Plain data. `execution` may end by itself.
struct FormedBatch {
  BatchExecution* execution = nullptr;  // null if there is nothing to run
  size_t bytes = 0;                     // all inputs of its largest member
  bool may_run_inline = false;          // no member has parameters that could change what the model does
  bool waited = false;                  // there was a batch delay when it was formed
  core::BatchRecord record;
  int64_t oldest_ns = 0;  // when its first member was queued
  int64_t begun_ns = 0;   // begun on a connections' thread, which left the rest; 0 if not
  bool on_loop = false;   // executed on a connections' thread, at least in part
};

}  // namespace inferd::scheduling
