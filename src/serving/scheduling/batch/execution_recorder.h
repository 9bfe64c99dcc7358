#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"
#include "serving/scheduling/batch/batch_layout.h"
#include "serving/scheduling/batch/execution_context.h"

namespace inferd::scheduling {

// Counts the results of one execution's requests in the version's statistics and metrics. Several threads may record
// requests, as they are answered. Call Begin() before that.
class ExecutionRecorder final {
 public:
  explicit ExecutionRecorder(const ExecutionContext& context) : context_(context) {}

  // Starts an execution. `idle_rows` of the padding are rows of sequences without a request.
  void Begin(int64_t started_ns, const RowCount& rows, int64_t idle_rows);
  void MarkInputsReady() { inputs_ready_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }
  void MarkInferDone() { infer_done_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }

  void RecordFailure(const core::QueuedRequest& queued, base::StatusCode code, int64_t now_ns);

  // The responses to one request, of which there may be any number. Times are base::Clock::NowNs.
  struct ResponseTimes {
    uint64_t index = 0;       // index of the next response
    int64_t received_ns = 0;  // when the engine gave it; 0 if it is not the engine's
    int64_t before_ns = 0;    // when the previous one was sent; 0 for the first
  };
  // Records the next response, which is sent now.
  void RecordResponse(const core::QueuedRequest& queued, const core::EngineResponse& response, ResponseTimes& times,
                      int64_t now_ns);

  // A sum over requests that succeed together, so that each shared counter is changed once for all of them.
  struct Successes {
    int64_t executed = 0;
    int64_t requests = 0;  // without the parts of split requests that do not count
    int64_t total_ns = 0;
  };
  // Adds a request, unless it is a warm-up: these are not counted.
  void Add(const core::QueuedRequest& queued, int64_t now_ns, Successes& successes);
  void Record(const Successes& successes, int64_t now_ns);

 private:
  core::PhaseTimes ComputeTimes(int64_t now_ns) const;
  void Trace(const core::QueuedRequest& queued, int64_t now_ns) const;

  const ExecutionContext& context_;
  RowCount rows_;
  int64_t idle_rows_ = 0;
  int64_t started_ns_ = 0;
  std::atomic<bool> recorded_{false};
  std::atomic<int64_t> inputs_ready_ns_{0};  // 0 if the engine did not report it
  std::atomic<int64_t> infer_done_ns_{0};
};

}  // namespace inferd::scheduling
