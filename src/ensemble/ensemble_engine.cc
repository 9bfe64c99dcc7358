#include "ensemble/ensemble_engine.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/version/version.h"
#include "ensemble/plan.h"
#include "ensemble/run.h"

namespace inferd::ensemble {

namespace {

// An execution holds no thread, so that a bound is there for memory alone: more wait in the ensemble's queue.
constexpr int kUnfinishedMax = 4096;

core::ModelSignature SignatureOf(const config::ModelConfig& config) {
  core::ModelSignature signature;
  signature.sequences = true;  // the steps' models say whether they know any
  for (const config::ModelInput& input : config.inputs) {
    signature.inputs.push_back({.name = input.name,
                                .datatype = input.datatype,
                                .shape = FullShape(input.dims, config),
                                .optional = input.optional});
  }
  for (const config::ModelOutput& output : config.outputs) {
    signature.outputs.push_back(
        {.name = output.name, .datatype = output.datatype, .shape = FullShape(output.dims, config)});
  }
  return signature;
}

class EnsembleInstance final : public core::EngineInstance {
 public:
  EnsembleInstance(std::shared_ptr<const Plan> plan, const core::ModelCaller& models)
      : plan_(std::move(plan)), models_(models) {}

  void Execute(core::Execution& execution) override {
    // Shared by its requests; the last of them finishes it.
    const auto left = std::make_shared<std::atomic<size_t>>(execution.request_count());
    const size_t requests = execution.request_count();
    for (size_t i = 0; i < requests; ++i) {
      if (execution.FillsUp(i)) {
        Answer(execution, i, {}, *left);
        continue;
      }
      const auto run = std::make_shared<Run>(*plan_, models_, execution.request(i), execution.outputs,
                                             [plan = plan_, &execution, i, left](core::EngineResponse response) {
                                               Answer(execution, i, std::move(response), *left);
                                             });
      run->Start();
    }
  }

 private:
  static void Answer(core::Execution& execution, size_t i, core::EngineResponse response, std::atomic<size_t>& left) {
    execution.Respond(i, std::move(response));
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) execution.Finish();
  }

  const std::shared_ptr<const Plan> plan_;
  const core::ModelCaller& models_;
};

class EnsembleModel final : public core::EngineModel {
 public:
  EnsembleModel(std::shared_ptr<const Plan> plan, core::ModelSignature signature, const core::ModelCaller* models)
      : plan_(std::move(plan)), signature_(std::move(signature)), models_(models) {}

  const core::ModelSignature& signature() const override { return signature_; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec&) override {
    if (models_ == nullptr) return std::unexpected(base::Unavailable("ensembles are not executed here"));
    return std::make_unique<EnsembleInstance>(plan_, *models_);
  }
  size_t input_alignment(int) const override { return 1; }
  int compute_threads() const override { return 0; }
  int unfinished_executions_max() const override { return kUnfinishedMax; }

 private:
  const std::shared_ptr<const Plan> plan_;
  const core::ModelSignature signature_;
  const core::ModelCaller* const models_;
};

// An output has the labels of the step that it comes of.
void TakeLabels(const Plan& plan, size_t step, const core::ModelSignature& model, core::ModelSignature& signature) {
  for (const auto& [name, tensor] : plan.steps[step].outputs) {
    const int output = signature.FindOutput(plan.tensors[tensor]);
    if (output < 0) continue;
    signature.outputs[static_cast<size_t>(output)].labels =
        model.outputs[static_cast<size_t>(model.FindOutput(name))].labels;
  }
}

}  // namespace

std::string_view EnsembleEngine::name() const { return config::kEnsembleEngine; }
std::string_view EnsembleEngine::version() const { return base::BuildVersion(); }

base::Result<std::unique_ptr<core::EngineModel>> EnsembleEngine::Load(const core::LoadSpec& spec) {
  const core::ModelCaller* const models = models_;
  auto plan = std::make_shared<const Plan>(MakePlan(*spec.config));
  core::ModelSignature signature = SignatureOf(*spec.config);
  if (models != nullptr) {
    TensorTypes types(*plan, *spec.config);
    for (size_t i = 0; i < plan->steps.size(); ++i) {
      const Plan::Step& step = plan->steps[i];
      INFERD_ASSIGN_OR_RETURN(const auto model, models->Find(step.model, step.version));
      INFERD_RETURN_IF_ERROR(CheckStep(*plan, i, model->signature()));
      INFERD_RETURN_IF_ERROR(types.Add(i, model->signature()));
      TakeLabels(*plan, i, model->signature(), signature);
    }
  }
  return std::make_unique<EnsembleModel>(std::move(plan), std::move(signature), models);
}

}  // namespace inferd::ensemble
