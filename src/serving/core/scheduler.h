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

// Counts the parts of a split request as one request: one success when the last part has succeeded, or one failure when
// the first part fails. Thread-safe.
class PartTally {
 public:
  explicit PartTally(int64_t parts) : left_(parts) {}
  // Notes that one part ended. Returns true if the caller must now count the request.
  bool Counts(bool ok) {
    if (!ok) return !failed_.exchange(true, std::memory_order_relaxed);
    return left_.fetch_sub(1, std::memory_order_relaxed) == 1;
  }

 private:
  std::atomic<int64_t> left_;  // not yet succeeded
  std::atomic<bool> failed_{false};
};

// A request on its way through a version. The scheduler owns it from Enqueue() until the engine has finished with its
// buffers. Not thread-safe.
struct QueuedRequest {
  std::unique_ptr<InferRequest> request;
  Completion completion;
  std::shared_ptr<const ModelVersion> version;  // keeps the version, and with it the scheduler, alive
  RequestLayout layout;
  InflightLimit::Slot slot;
  int64_t queued_ns = 0;                       // base::Clock::NowNs at Enqueue
  bool warmup = false;                         // no client's request: not counted
  bool held_back = false;                      // responses wait for others; who sends them calls TraceResponse()
  std::shared_ptr<PartTally> parts = nullptr;  // set if this is a part of a split request

  // Returns true if the statistics must count this as the success or failure of a request. Call once, before the final
  // response. (Executions and their rows are counted for every part.)
  bool Counts(bool ok) const { return !warmup && (parts == nullptr || parts->Counts(ok)); }

  // Checks that `version` has the signature that the request names and that the request's tensors fit it. Fills in
  // `layout`. INVALID_ARGUMENT, in words for the client.
  base::Status Validate();

  // Marks the request as queued and arranges that its responses have their outputs where the request wants them
  // (RequestedOutput::memory). Call once, before Enqueue().
  void PlaceOutputs();

  // Fills in the model's name, version and the request's id, and sends the response. Before a final response, frees the
  // slot: the client that it wakes may send its next request at once.
  void Answer(InferResponse&& response);
  void Fail(base::Status status, int64_t retry_after_ms = 0);
  // As Fail(), for a request that was not accepted to wait or to run.
  void Refuse(base::Status status, int64_t retry_after_ms = 0);
};

// Records in the request's trace that a response is sent to the client now, and its outputs.
void TraceResponse(RequestTrace& trace, const InferResponse& response);

// Decides when a version's requests run, and on which instance. Thread-safe. Destroyed with its version, when no
// request is left, on a thread that may block.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Answers exactly once with a final response, on any thread, perhaps before it returns.
  virtual void Enqueue(QueuedRequest&& queued) = 0;
  // For a model with sequences: returns true if a request without START would continue a sequence that exists here.
  virtual bool HasSequence(const Sequence& /*wanted*/) const { return false; }
  // Ends the sequence: no more requests of it will come.
  virtual void EndSequence(const Sequence& /*wanted*/) {}
  // Keeps `version`, which owns this scheduler, loaded for its unfinished sequences: until the last of them ends, but
  // not beyond `until_ns`. From now on the version gets requests of these sequences only. Null releases it.
  virtual void KeepForSequences(std::shared_ptr<const ModelVersion> /*version*/, int64_t /*until_ns*/) {}
  // Returns the settings and the current load, with `recent` empty.
  virtual SchedulerReport Report() const { return {}; }
  // Returns the last executions for that report, the latest last. Separate, as frequent readers do not need them.
  virtual std::vector<BatchRecord> RecentExecutions() const { return {}; }
};

// The parts of a scheduler, for one load of one version. `model` outlives `instances`. Several schedulers of the
// version may share `model`.
struct SchedulerParts {
  ModelId id;
  uint64_t generation = 0;
  std::shared_ptr<const config::ModelConfig> config;
  std::shared_ptr<const ModelSignature> signature;
  std::filesystem::path model_dir = {};  // <repo>/<model>; empty if no file of it is needed
  std::vector<int> engine_inputs;   // the signature's inputs and outputs by their index in the engine's own signature;
  std::vector<int> engine_outputs;  // empty if they are the same
  std::shared_ptr<VersionStatistics> statistics;
  std::shared_ptr<EngineModel> model;
  std::vector<std::unique_ptr<EngineInstance>> instances;  // at least one
};

// Returns, by instance group, the cores on which its instances run: LoadSpec::group_cores. Fails if there are no such
// cores, or the server has no such policy. The version then cannot be loaded.
using GroupCoresFinder = std::function<base::Result<std::vector<base::CpuCores>>(const config::ModelConfig& config)>;

// Makes a scheduler for the repository, which does not know the implementations. Called on the loader pool.
using SchedulerFactory = std::function<base::Result<std::unique_ptr<Scheduler>>(SchedulerParts parts)>;

}  // namespace inferd::core
