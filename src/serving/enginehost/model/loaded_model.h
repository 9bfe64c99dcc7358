#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/model/document_fields.h"
#include "inferd/engine_abi.h"
#include "serving/core/engine.h"
#include "serving/core/model/model_signature.h"
#include "serving/enginehost/guard/execution_gate.h"
#include "serving/enginehost/transfer/pinned_pool.h"

namespace inferd::enginehost {

// Tensor bytes copied between the server and an engine, since the process started. Thread-safe.
struct CopyCounters {
  std::atomic<uint64_t> inputs{0};  // pieces copied because they were misaligned or had to be contiguous
  std::atomic<uint64_t> input_bytes{0};
  std::atomic<uint64_t> outputs{0};
  std::atomic<uint64_t> output_bytes{0};
};

// An engine library that this process has opened. Neither the library nor this object is ever closed.
struct OpenedEngine {
  const inferd_engine* table = nullptr;
  std::string name;
  std::string version;
  std::string default_model_filename;
  base::Logger* logger = nullptr;
  CopyCounters copies;
  uint8_t runtime = 0;       // in base::MemoryPlace; 0 if it has no devices
  int32_t device_count = 0;  // GPUs
  std::string why_no_gpus;   // the engine's reason
  bool prefers_devices = false;
  std::shared_ptr<PinnedPool> pinned;  // of the process. Null if there is none
  ExecutionGate gate;                  // for executions that compute on the engine's own threads
};

// How an engine wants one input, see inferd_tensor_spec.
struct InputWish {
  size_t alignment = 1;
  bool elements = false;  // BYTES as inferd_text elements
  bool one_piece = false;
  uint32_t memory_kinds = 0;  // for an instance on a GPU
};

// A model inside an engine, as one of its signatures. Unloads the model when its last user is gone. Users are the
// core::EngineModel, its instances, responses in the engine's memory, and the model's other signatures. Thread-safe:
// only the mark of a warning changes.
class LoadedModel final {
 public:
  // Takes over `model`, also on failure. `cpu_threads` must be the number that the engine was given. INTERNAL if the
  // engine describes the model wrongly.
  static base::Result<std::shared_ptr<const LoadedModel>> Take(OpenedEngine* engine, inferd_model* model,
                                                               const core::LoadSpec& spec, int cpu_threads);
  // Returns the model's other signatures. `first` must be Take()'s result for the same arguments. Errors as for Take().
  static base::Result<std::vector<std::shared_ptr<const LoadedModel>>> TakeOthers(
      const std::shared_ptr<const LoadedModel>& first, const core::LoadSpec& spec, int cpu_threads);
  // Returns the model as a call of its graph. `abi` and `number` are open_signature()'s results. Errors as for Take().
  static base::Result<std::shared_ptr<const LoadedModel>> TakeOpened(const std::shared_ptr<const LoadedModel>& first,
                                                                     const inferd_signature* abi, size_t number);
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const inferd_engine& table() const { return *engine_->table; }
  inferd_model* get() const { return model_; }
  OpenedEngine& engine() const { return *engine_; }
  const core::ModelSignature& signature() const { return signature_; }
  const std::string& name() const { return name_; }  // the model's
  int64_t version() const { return version_; }
  const InputWish& wish(size_t input) const { return wishes_[input]; }
  // Returns true if inputs and outputs of GPUs pass through the process's pinned memory, as long as it has room.
  bool pins_inputs() const { return pinned_memory_.inputs && engine_->pinned != nullptr; }
  bool pins_outputs() const { return pinned_memory_.outputs && engine_->pinned != nullptr; }
  const std::vector<std::string>& significant_parameters() const { return significant_parameters_; }
  int compute_threads() const { return compute_threads_; }
  bool computes_elsewhere() const { return computes_elsewhere_; }
  bool returns_at_once() const { return returns_at_once_; }
  config::CompletedByModel completed() const { return completed_; }
  bool parallel_instances() const { return parallel_instances_; }
  // Returns true if the server prepares an instance's next execution while the engine computes the current one: on
  // GPUs, if the configuration sets eager_batching and the engine runs one execution per instance at a time.
  bool prepares_ahead() const { return prepares_ahead_; }
  // The engine's limit, plus the one that is prepared ahead.
  int unfinished_executions_max() const { return unfinished_executions_max_ + (prepares_ahead_ ? 1 : 0); }
  int executions_ahead() const { return executions_ahead_; }
  bool checks_readiness() const { return checks_readiness_; }
  // Call only if checks_readiness(). UNAVAILABLE if the model is not ready, or if the engine's check fails.
  base::Status CheckReady() const;
  size_t signature_number() const { return number_; }  // the engine's number; 0 for signature()

  // Logs that `output` has another shape than the declared one. Only the first call per model logs.
  void WarnOfShape(const core::TensorSpec& output, const tensor::Shape& actual) const;

  // Returns INTERNAL with the engine's name.
  base::Status Fault(std::string_view what) const;

 private:
  LoadedModel(OpenedEngine* engine, inferd_model* model, size_t number, std::shared_ptr<const LoadedModel> first)
      : engine_(engine), model_(model), number_(number), first_(std::move(first)) {}
  base::Status ReadSignature(const inferd_signature* abi, const core::LoadSpec& spec, int cpu_threads);
  base::Status ReadCompleted(const inferd_signature& abi);

  OpenedEngine* engine_;
  inferd_model* model_;
  size_t number_;
  std::shared_ptr<const LoadedModel> first_;  // null if this object unloads the model
  core::ModelSignature signature_;
  std::string name_;
  int64_t version_ = 0;
  std::vector<InputWish> wishes_;
  config::PinnedMemory pinned_memory_;
  std::vector<std::string> significant_parameters_;
  int compute_threads_ = 1;
  bool computes_elsewhere_ = false;
  bool returns_at_once_ = false;
  int unfinished_executions_max_ = 1;
  int executions_ahead_ = 0;
  bool eager_on_gpus_ = false;  // from the configuration
  bool prepares_ahead_ = false;
  bool checks_readiness_ = false;
  bool parallel_instances_ = false;
  config::CompletedByModel completed_;
  mutable std::atomic<bool> warned_of_shape_{false};
};

}  // namespace inferd::enginehost
