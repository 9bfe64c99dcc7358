#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "serving/core/engine.h"
#include "serving/enginehost/batch/batch.h"
#include "serving/enginehost/guard/division_guard.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// A model version that an engine library loaded. Thread-safe.
class PluginModel final : public core::EngineModel {
 public:
  explicit PluginModel(std::shared_ptr<const LoadedModel> model,
                       std::vector<std::shared_ptr<const LoadedModel>> others = {})
      : model_(std::move(model)), others_(std::move(others)) {}

  std::vector<std::unique_ptr<core::EngineModel>> OtherSignatures() const override;
  core::SignatureOpener GraphSignatures() const override;
  const core::ModelSignature& signature() const override { return model_->signature(); }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec& spec) override;
  size_t input_alignment(int input) const override { return model_->wish(input).alignment; }
  bool wants_one_piece(int input) const override { return model_->wish(input).one_piece; }
  std::span<const std::string> significant_parameters() const override { return model_->significant_parameters(); }
  int compute_threads() const override { return model_->compute_threads(); }
  bool computes_elsewhere() const override { return model_->computes_elsewhere(); }
  bool returns_at_once() const override { return model_->returns_at_once(); }
  core::ReadinessCheck readiness_check() const override;
  config::CompletedByModel completed() const override { return model_->completed(); }
  bool parallel_instances() const override { return model_->parallel_instances(); }
  int unfinished_executions_max() const override { return model_->unfinished_executions_max(); }
  int executions_ahead() const override { return model_->executions_ahead(); }

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::vector<std::shared_ptr<const LoadedModel>> others_;  // the model's other signatures
};

// An instance inside an engine library. Calls of Execute() must not overlap. An execution may still be unfinished when
// the next one begins.
class PluginInstance final : public core::EngineInstance {
 public:
  // If `thread` is set, the instance computes on that single thread, and Execute() returns when the inputs are in
  // place. If it is null, the instance computes on the calling thread. The end of an execution may destroy the
  // instance, and with it the thread that calls.
  PluginInstance(std::shared_ptr<const LoadedModel> model, const InstanceSeat& seat,
                 std::unique_ptr<base::ThreadPool> thread = nullptr)
      : model_(std::move(model)), seat_(seat), thread_(std::move(thread)) {}
  ~PluginInstance() override;

  void Execute(core::Execution& execution) override;

 private:
  // Returns false if the engine ends the batch later, or has already ended it. The caller must then touch neither the
  // batch nor this object.
  bool Compute(Batch& batch);
  void ComputeToItsEnd(Batch& batch);
  int32_t Call(Batch& batch, inferd_error* error);
  int32_t CallAlone(Batch& batch, inferd_error* error);
  int32_t CallEngine(const Batch& batch, DivisionScope::Threads threads, inferd_error* error);

  std::shared_ptr<const LoadedModel> model_;
  const InstanceSeat seat_;
  std::atomic<Batch*> idle_batch_{nullptr};
  std::unique_ptr<base::ThreadPool> thread_;
};

}  // namespace inferd::enginehost
