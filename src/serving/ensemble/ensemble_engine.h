#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "base/logging.h"
#include "serving/core/engine.h"
#include "serving/core/model_caller.h"

namespace inferd::ensemble {

// The engine of ensembles. An execution calls the models of the steps, and holds no thread meanwhile. Each request is
// executed by itself; batching happens in the steps' models.
class EnsembleEngine final : public core::Engine {
 public:
  struct Options {
    // True if ensembles are as in Triton: tensors that come of different decoupled models do not meet (CheckStreams()),
    // and responses have the sequence of their request as parameters.
    bool triton_exact = false;
    base::Logger* logger = nullptr;  // outlives all ensembles. Null if nothing is logged
  };

  explicit EnsembleEngine(const Options& options) : options_(options) {}

  std::string_view name() const override;
  std::string_view version() const override;
  std::string_view default_model_filename() const override { return {}; }

  // Sets the caller of models. Call before the first ensemble is loaded; must outlive all ensembles. Without it,
  // ensembles can be loaded, unchecked, but not executed.
  void CallWith(const core::ModelCaller& models) { models_ = &models; }

  // INVALID_ARGUMENT if the steps do not fit their models, which are already loaded (the configuration's dependencies).
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

 private:
  const Options options_;
  std::atomic<const core::ModelCaller*> models_ = nullptr;
};

}  // namespace inferd::ensemble
