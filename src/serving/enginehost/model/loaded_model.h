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
  std::atomic<uint64_t> inputs{0};  // pieces copied because misaligned or to be contiguous
  std::atomic<uint64_t> input_bytes{0};
  std::atomic<uint64_t> outputs{0};
  std::atomic<uint64_t> output_bytes{0};
};

// An engine library that this process has opened; it is never closed, and neither is this.
struct OpenedEngine {
  const inferd_engine* table = nullptr;
  std::string name;
  std::string version;
  std::string default_model_filename;
  base::Logger* logger = nullptr;
  CopyCounters copies;
  uint8_t runtime = 0;       // in base::MemoryPlace; 0: it has no devices
  int32_t device_count = 0;  // GPUs
  std::string why_no_gpus;   // what the engine says of that
  bool prefers_devices = false;
  std::shared_ptr<PinnedPool> pinned;  // of the process; null: there is none
  ExecutionGate gate;                  // of executions that compute on threads of the engine's
};

// How an engine wants one input; see inferd_tensor_spec.
struct InputWish {
  size_t alignment = 1;
  bool elements = false;  // BYTES as inferd_text elements
  bool one_piece = false;
  uint32_t memory_kinds = 0;  // of an instance on a GPU
};

// A model inside an engine, as one of its signatures: unloads it when the last of its users is gone. Users are the
// core::EngineModel, its instances, responses whose memory is still the engine's, and the model as its other
// signatures. Thread-safe: only the mark of a warning changes.
class LoadedModel final {
 public:
  // Takes over `model`, also on failure. `cpu_threads`: as the engine was told. INTERNAL: what the engine says about
  // the model cannot be.
  static base::Result<std::shared_ptr<const LoadedModel>> Take(OpenedEngine* engine, inferd_model* model,
                                                               const core::LoadSpec& spec, int cpu_threads);
  // The same model as its other signatures. `first` is what Take gave for the same arguments; errors are Take's.
  static base::Result<std::vector<std::shared_ptr<const LoadedModel>>> TakeOthers(
      const std::shared_ptr<const LoadedModel>& first, const core::LoadSpec& spec, int cpu_threads);
  // The same model as a call of its graph: `abi` is what open_signature gave, and `number`. INTERNAL as Take.
  static base::Result<std::shared_ptr<const LoadedModel>> TakeOpened(const std::shared_ptr<const LoadedModel>& first,
                                                                     const inferd_signature* abi, size_t number);
  ~LoadedModel();
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const inferd_engine& table() const { return *engine_->table; }
  inferd_model* get() const { return model_; }
  OpenedEngine& engine() const { return *engine_; }
  const core::ModelSignature& signature() const { return signature_; }
  const std::string& name() const { return name_; }  // the model's, and its version
  int64_t version() const { return version_; }
  const InputWish& wish(size_t input) const { return wishes_[input]; }
  // Whether inputs go to GPUs, and outputs come from there, through the process's pinned memory, as far as it goes.
  bool pins_inputs() const { return pinned_memory_.inputs && engine_->pinned != nullptr; }
  bool pins_outputs() const { return pinned_memory_.outputs && engine_->pinned != nullptr; }
  const std::vector<std::string>& significant_parameters() const { return significant_parameters_; }
  int compute_threads() const { return compute_threads_; }
  bool computes_elsewhere() const { return computes_elsewhere_; }
  bool returns_at_once() const { return returns_at_once_; }
  config::CompletedByModel completed() const { return completed_; }
  bool parallel_instances() const { return parallel_instances_; }
  // Whether the server prepares an instance's next execution while the engine computes the one before: on GPUs, where
  // the configuration says eager_batching, and the engine has one execution of an instance at a time.
  bool prepares_ahead() const { return prepares_ahead_; }
  // The engine's, and one that is prepared ahead.
  int unfinished_executions_max() const { return unfinished_executions_max_ + (prepares_ahead_ ? 1 : 0); }
  int executions_ahead() const { return executions_ahead_; }
  bool checks_readiness() const { return checks_readiness_; }
  // Of one that does. UNAVAILABLE: it is not ready, or what the engine does wrong.
  base::Status CheckReady() const;
  size_t signature_number() const { return number_; }  // the engine's; 0: signature()

  // Warns that `output` has another shape than the declared one. The first call for a model logs, the others do
  // nothing.
  void WarnOfShape(const core::TensorSpec& output, const tensor::Shape& actual) const;

  // INTERNAL, naming the engine as the culprit.
  base::Status Fault(std::string_view what) const;

 private:
  LoadedModel(OpenedEngine* engine, inferd_model* model, size_t number, std::shared_ptr<const LoadedModel> first)
      : engine_(engine), model_(model), number_(number), first_(std::move(first)) {}
  base::Status ReadSignature(const inferd_signature* abi, const core::LoadSpec& spec, int cpu_threads);
  base::Status ReadCompleted(const inferd_signature& abi);

  OpenedEngine* engine_;
  inferd_model* model_;
  size_t number_;
  std::shared_ptr<const LoadedModel> first_;  // null: this is the one that unloads the model
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
  bool eager_on_gpus_ = false;  // what the configuration says
  bool prepares_ahead_ = false;
  bool checks_readiness_ = false;
  bool parallel_instances_ = false;
  config::CompletedByModel completed_;
  mutable std::atomic<bool> warned_of_shape_{false};
};

}  // namespace inferd::enginehost
