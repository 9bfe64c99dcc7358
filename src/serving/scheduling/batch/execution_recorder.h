#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.h"
#include "serving/scheduling/batch/batch_layout.h"
#include "serving/scheduling/batch/execution_context.h"

namespace inferd::scheduling {

// Counts what one execution's requests came to, in the version's statistics and metrics. Requests may be recorded from
// several threads, as they are answered; Begin() comes before all of them.
class ExecutionRecorder final {
 public:
  explicit ExecutionRecorder(const ExecutionContext& context) : context_(context) {}

  // `idle_rows` of the padding stand for sequences without a request.
  void Begin(int64_t started_ns, const RowCount& rows, int64_t idle_rows);
  void MarkInputsReady() { inputs_ready_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }
  void MarkInferDone() { infer_done_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }

  void RecordFailure(const core::QueuedRequest& queued, base::StatusCode code, int64_t now_ns);

  // Of one request's responses, where there may be any number of them; base::Clock::NowNs.
  struct ResponseTimes {
    uint64_t index = 0;       // of the next
    int64_t received_ns = 0;  // when the engine gave it; 0: it is none of the engine's
    int64_t before_ns = 0;    // when the one before it was sent; 0: it is the first
  };
  // The next response is sent now.
  void RecordResponse(const core::QueuedRequest& queued, const core::EngineResponse& response, ResponseTimes& times,
                      int64_t now_ns);

  // Of requests that succeed together: that is one access to each number, which other threads share, for all of them.
  struct Successes {
    int64_t executed = 0;
    int64_t requests = 0;  // that count; others are parts of one that was split
    int64_t total_ns = 0;
  };
  // Warm-ups are no success that is counted.
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
  std::atomic<int64_t> inputs_ready_ns_{0};  // 0: the engine did not say
  std::atomic<int64_t> infer_done_ns_{0};
};

}  // namespace inferd::scheduling
