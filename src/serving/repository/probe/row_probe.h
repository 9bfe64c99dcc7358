#pragma once

#include <cstdint>

#include "base/clock.h"
#include "config/model/batching_decision.h"
#include "serving/core/engine.h"

namespace inferd::repository {

struct RowProbeOptions {
  int64_t time_max_ms = 2000;             // after that, only the first checks still begin
  int64_t rows_max = 64;                  // the largest execution that clients will get
  size_t execution_bytes_max = 32 << 20;  // of an execution's inputs; models with larger rows are not probed
};

// Executes rows together and apart, to find out if rows of several clients could share an execution:
//
//   influence  changes the other rows of an execution (random, equal, sorted, zeros, large, infinite, NaN ...):
//              the answer to a row must stay the same, bit for bit
//   place      reorders the rows, and executes each row alone: each answer must stay the same, floats up to rounding
//   count      executes 2, 3, 5, 8 and more rows: every output must have as many rows
//
// Values are random with a fixed seed, so that every load judges a model alike. Inputs that the model refuses prove
// nothing. A model also counts as not independent if it refuses all inputs, is lost, or has not passed the first checks
// in five times the allowed time. Effects of values that were not tried are not found.
//
// Blocks its thread until the checks end. The result's cost reports the effort: "96 executions, 4 ms". Makes an
// instance of the first group, and destroys it. Thread-safe for different models.
config::ProbeResult ProbeRows(core::EngineModel& model, const RowProbeOptions& options, const base::Clock& clock);

}  // namespace inferd::repository
