#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "serving/core/engine.h"
#include "serving/core/model_caller.h"

namespace inferd::ensemble {

// The engine of models that are made of others: an execution calls the models of its steps, and keeps no thread
// meanwhile. Each request is executed by itself; what its steps' models share, they share.
class EnsembleEngine final : public core::Engine {
 public:
  std::string_view name() const override;
  std::string_view version() const override;
  std::string_view default_model_filename() const override { return {}; }

  // Without it, ensembles can be loaded, unchecked, and not executed. Before the first is loaded; outlives all of them.
  void CallWith(const core::ModelCaller& models) { models_ = &models; }

  // INVALID_ARGUMENT: the steps do not fit their models, which are loaded by now (the configuration's dependencies).
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

 private:
  std::atomic<const core::ModelCaller*> models_ = nullptr;
};

}  // namespace inferd::ensemble
