#pragma once

#include <cstdint>

#include "base/clock.h"
#include "config/model/batching_decision.h"
#include "serving/core/engine.h"

namespace inferd::repository {

struct RowProbeOptions {
  int64_t time_max_ms = 2000;             // no further check begins then, once the first are through
  int64_t rows_max = 64;                  // of an execution that will be made for clients
  size_t execution_bytes_max = 32 << 20;  // of an execution's inputs: models with larger rows are not probed
};

// Executes rows together and apart, to see whether those of several clients could share an execution:
//
//   influence  the other rows of an execution change (random, equal, sorted, zeros, large, infinite, NaN ...): what is
//              answered to a row must stay the same, bit for bit
//   place      rows in another order, and each row alone: each must be answered the same, floats up to rounding
//   count      executions of 2, 3, 5, 8 and more rows: every output must have as many
//
// Values are random with a fixed seed, so that a model is judged alike at every load. Inputs that the model refuses
// show nothing. Not independent, too: a model that refuses all that is tried, is lost, or has not been through the
// first checks in five times the time there is. What only happens for values that were not tried is not found.
//
// Blocks its thread until then; the result's cost says how long that took: "96 executions, 4 ms". Makes an instance of
// the first group, and destroys it. Thread-safe for different models.
config::ProbeResult ProbeRows(core::EngineModel& model, const RowProbeOptions& options, const base::Clock& clock);

}  // namespace inferd::repository
