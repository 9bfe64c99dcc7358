#pragma once

#include <cstddef>
#include <cstdint>

#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/batch/batch_execution.h"

namespace inferd::scheduling {

// An execution that is about to run, and what the report will say about it. Plain data; `execution` may end itself.
struct FormedBatch {
  BatchExecution* execution = nullptr;  // null: nothing to run
  size_t bytes = 0;                     // of all inputs of its largest member
  bool may_run_inline = false;          // no member has parameters that may change what the model does
  bool waited = false;                  // a delay held when it was formed
  core::BatchRecord record;
  int64_t oldest_ns = 0;  // when the first of its members was queued
  int64_t begun_ns = 0;   // on a connections' thread, which had no time for the rest; 0: it has not
  bool on_loop = false;   // executed on a connections' thread, as far as that had time for it
};

}  // namespace inferd::scheduling
