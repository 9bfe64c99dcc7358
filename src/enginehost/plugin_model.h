#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine.h"
#include "enginehost/batch.h"
#include "enginehost/division_guard.h"
#include "enginehost/loaded_model.h"

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
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(int group, int ordinal) override;
  size_t input_alignment(int input) const override { return model_->wish(input).alignment; }
  bool wants_one_piece(int input) const override { return model_->wish(input).one_piece; }
  std::span<const std::string> significant_parameters() const override { return model_->significant_parameters(); }
  int compute_threads() const override { return model_->compute_threads(); }
  int unfinished_executions_max() const override { return model_->unfinished_executions_max(); }

 private:
  std::shared_ptr<const LoadedModel> model_;
  std::vector<std::shared_ptr<const LoadedModel>> others_;  // as its other signatures
};

// An instance inside an engine library. One Execute() at a time; executions may still be unfinished when the next
// begins.
class PluginInstance final : public core::EngineInstance {
 public:
  PluginInstance(std::shared_ptr<const LoadedModel> model, inferd_instance* instance)
      : model_(std::move(model)), instance_(instance) {}
  ~PluginInstance() override;

  void Execute(core::Execution& execution) override;

 private:
  int32_t Call(Batch& batch, inferd_error* error);
  int32_t CallAlone(Batch& batch, inferd_error* error);
  int32_t CallEngine(const Batch& batch, DivisionScope::Threads threads, inferd_error* error);

  std::shared_ptr<const LoadedModel> model_;
  inferd_instance* instance_;
  std::atomic<Batch*> idle_batch_{nullptr};
};

}  // namespace inferd::enginehost
