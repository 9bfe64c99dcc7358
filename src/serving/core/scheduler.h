#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "serving/core/engine.h"
#include "serving/core/inflight_limit.h"
#include "serving/core/model/model_id.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/scheduler_report.h"
#include "serving/core/model/version_statistics.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"
#include "serving/core/validate.h"

namespace inferd::core {

class ModelVersion;

// Counts the parts of a request that was split as the one request that it is: a success once all parts have succeeded,
// by the last of them; a failure once, by the first that failed. Thread-safe.
class PartTally {
 public:
  explicit PartTally(int64_t parts) : left_(parts) {}
  // How one part ended; true: count it for the request.
  bool Counts(bool ok) {
    if (!ok) return !failed_.exchange(true, std::memory_order_relaxed);
    return left_.fetch_sub(1, std::memory_order_relaxed) == 1;
  }

 private:
  std::atomic<int64_t> left_;  // not yet succeeded
  std::atomic<bool> failed_{false};
};

// A validated request on its way through a version. Owned by the scheduler from Enqueue() until the engine has finished
// with its buffers. Not thread-safe.
struct QueuedRequest {
  std::unique_ptr<InferRequest> request;
  Completion completion;
  std::shared_ptr<const ModelVersion> version;  // keeps the version, and with it the scheduler, alive
  RequestLayout layout;
  InflightLimit::Slot slot;
  int64_t queued_ns = 0;                       // base::Clock::NowNs at Enqueue
  bool warmup = false;                         // nobody's request: not counted
  bool held_back = false;                      // its answers wait for others: TraceResponse() follows when they go
  std::shared_ptr<PartTally> parts = nullptr;  // of a request that was split: this is a part of it

  // Asked once, before the final answer: whether the statistics count it as a request's success or failure.
  // (Executions and their rows are counted for every part.)
  bool Counts(bool ok) const { return !warmup && (parts == nullptr || parts->Counts(ok)); }

  // Whether `version` has the signature that the request names, and its tensors fit that; fills in `layout`.
  // INVALID_ARGUMENT, in words for the client.
  base::Status Validate();

  // Before Enqueue(), once: it is queued from now on, and answers will have their outputs where the request wants them
  // (RequestedOutput::memory).
  void PlaceOutputs();

  // Fills in model name, version and id, and answers. A final answer first gives its slot back: the client that it
  // wakes may send the next request at once.
  void Answer(InferResponse&& response);
  void Fail(base::Status status, int64_t retry_after_ms = 0);
};

// Notes in the request's trace that a response goes to the client now, and its outputs.
void TraceResponse(RequestTrace& trace, const InferResponse& response);

// Decides when a version's requests run, and on which instance. Thread-safe. Destroyed with its version, when no
// request is left, on a thread that may block.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Answers exactly once with a final response, perhaps before it returns, on any thread.
  virtual void Enqueue(QueuedRequest&& queued) = 0;
  // Of a model with sequences: whether a request without START goes on with one that there is.
  virtual bool HasSequence(const Sequence& /*wanted*/) const { return false; }
  // Its last request has come.
  virtual void EndSequence(const Sequence& /*wanted*/) {}
  // The version, which this belongs to, takes requests of sequences that it has alone, and these keep it: until the
  // last of them has ended, but not beyond `until_ns`. Null: they keep it no more.
  virtual void KeepForSequences(std::shared_ptr<const ModelVersion> /*version*/, int64_t /*until_ns*/) {}
  // How it is set and what waits; without `recent`.
  virtual SchedulerReport Report() const { return {}; }
  // The last executions for that report, the latest last; what is read often does without them.
  virtual std::vector<BatchRecord> RecentExecutions() const { return {}; }
};

// What a scheduler is made of: one load of one version. `model`, which several schedulers of the version may share,
// outlives `instances`.
struct SchedulerParts {
  ModelId id;
  uint64_t generation = 0;
  std::shared_ptr<const config::ModelConfig> config;
  std::shared_ptr<const ModelSignature> signature;
  std::filesystem::path model_dir = {};  // <repo>/<model>; empty: nothing of it is needed
  std::vector<int> engine_inputs;   // the signature's inputs and outputs by their index in the engine's own signature;
  std::vector<int> engine_outputs;  // empty: the same
  std::shared_ptr<VersionStatistics> statistics;
  std::shared_ptr<EngineModel> model;
  std::vector<std::unique_ptr<EngineInstance>> instances;  // at least one
};

// Where the instances of a model's groups run, by group: LoadSpec::group_cores. Errors: there are no such cores, or the
// server has no such policy; the version cannot be loaded.
using GroupCoresFinder = std::function<base::Result<std::vector<base::CpuCores>>(const config::ModelConfig& config)>;

// How the repository, which does not know the schedulers, gets one. Called on the loader pool.
using SchedulerFactory = std::function<base::Result<std::unique_ptr<Scheduler>>(SchedulerParts parts)>;

}  // namespace inferd::core
