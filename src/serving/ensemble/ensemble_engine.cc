#include "serving/ensemble/ensemble_engine.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/device_memory.h"
#include "base/version/version.h"
#include "serving/ensemble/model_needs.h"
#include "serving/ensemble/plan.h"
#include "serving/ensemble/plan_check.h"
#include "serving/ensemble/run.h"
#include "serving/ensemble/step_options.h"

namespace inferd::ensemble {

namespace {

// An execution holds no thread, so the limit only bounds memory. More requests wait in the ensemble's queue.
constexpr int kUnfinishedMax = 4096;

core::ModelSignature SignatureOf(const config::ModelConfig& config) {
  core::ModelSignature signature;
  signature.sequences = true;  // the steps' models decide whether they take sequences
  for (const config::ModelInput& input : config.inputs) {
    signature.inputs.push_back({.name = input.name,
                                .datatype = input.datatype,
                                .shape = ShapeInside(input, config),
                                .optional = input.optional});
  }
  for (const config::ModelOutput& output : config.outputs) {
    signature.outputs.push_back({.name = output.name,
                                 .datatype = output.datatype,
                                 .shape = ShapeInside(output, config),
                                 .may_be_missing = true});  // the board decides
  }
  return signature;
}

class EnsembleInstance final : public core::EngineInstance {
 public:
  explicit EnsembleInstance(std::shared_ptr<const LoadedEnsemble> ensemble) : ensemble_(std::move(ensemble)) {}

  void Execute(core::Execution& execution) override {
    // Shared by the execution's requests. The last one finishes it.
    const auto left = std::make_shared<std::atomic<size_t>>(execution.request_count());
    const size_t requests = execution.request_count();
    for (size_t i = 0; i < requests; ++i) {
      if (execution.FillsUp(i)) {
        Answer(execution, i, {}, *left);
        continue;
      }
      const auto run = std::make_shared<Run>(
          ensemble_, execution.request(i), execution.outputs,
          [&execution, i, left](core::EngineResponse response) { Answer(execution, i, std::move(response), *left); });
      run->Start();
    }
  }

 private:
  // Copies outputs that a step left on a device to the CPU, for clients.
  static void BringToCpu(const core::Execution& execution, core::EngineResponse& response) {
    for (size_t k = 0; k < response.outputs.size() && k < execution.outputs.size(); ++k) {
      base::BufferSlice& data = response.outputs[k].data;
      if (data.place().readable() || execution.TakesOnDevice(execution.outputs[k])) continue;
      base::Result<base::BufferSlice> brought = base::Readable(data);
      if (!brought.has_value()) {
        response = {.status = std::move(brought).error()};
        return;
      }
      data = *std::move(brought);
    }
  }

  static void Answer(core::Execution& execution, size_t i, core::EngineResponse response, std::atomic<size_t>& left) {
    const bool final = response.final;
    BringToCpu(execution, response);
    execution.Respond(i, std::move(response));
    if (final && left.fetch_sub(1, std::memory_order_acq_rel) == 1) execution.Finish();
  }

  const std::shared_ptr<const LoadedEnsemble> ensemble_;
};

class EnsembleModel final : public core::EngineModel {
 public:
  EnsembleModel(std::shared_ptr<const LoadedEnsemble> ensemble, core::ModelSignature signature)
      : ensemble_(std::move(ensemble)), signature_(std::move(signature)) {}

  const core::ModelSignature& signature() const override { return signature_; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec&) override {
    if (ensemble_->models == nullptr) return std::unexpected(base::Unavailable("ensembles are not executed here"));
    return std::make_unique<EnsembleInstance>(ensemble_);
  }
  size_t input_alignment(int) const override { return 1; }
  int compute_threads() const override { return 0; }
  // Triton shows this for each ensemble. Not known without the steps' models.
  config::CompletedByModel completed() const override {
    if (ensemble_->models == nullptr) return {};
    return {.decoupled = signature_.decoupled};
  }
  int unfinished_executions_max() const override { return kUnfinishedMax; }
  void Report(core::SchedulerReport& report) const override { ensemble_->counts->Report(ensemble_->plan, report); }

 private:
  const std::shared_ptr<const LoadedEnsemble> ensemble_;
  const core::ModelSignature signature_;
};

// An output gets the labels of its step's first model. It is unchecked if it is in any model.
void TakeForms(const Plan& plan, size_t step, const StepModels& models, core::ModelSignature& signature) {
  for (const auto& [name, tensor] : plan.steps[step].outputs) {
    const int output = signature.FindOutput(plan.tensors[tensor].name);
    if (output < 0) continue;
    core::TensorSpec& taken = signature.outputs[static_cast<size_t>(output)];
    const auto given = [&name](const core::ModelSignature& model) -> const core::TensorSpec& {
      return model.outputs[static_cast<size_t>(model.FindOutput(name))];
    };
    taken.labels = given(*models.front()).labels;
    for (const core::ModelSignature* const model : models) taken.unchecked |= given(*model).unchecked;
  }
}

// The models that a loaded ensemble calls, pinned while they are examined.
struct Looked {
  std::vector<std::shared_ptr<const core::ModelVersion>> pinned;
  std::vector<StepModels> models;
  StepNeeds needs;
};

base::Status LookAt(const core::ModelCaller& models, const Plan& plan, size_t step, TensorTypes& types,
                    Looked& looked) {
  looked.models.emplace_back();
  looked.needs.emplace_back();
  for (const Plan::Call& call : plan.steps[step].calls) {
    INFERD_ASSIGN_OR_RETURN(auto version, models.Find(call.model, call.version));
    const core::ModelSignature& model = version->signature();
    INFERD_RETURN_IF_ERROR(CheckStep(plan, step, call.model, model));
    INFERD_RETURN_IF_ERROR(types.Add(step, call.model, model));
    looked.models.back().push_back(&model);
    looked.needs.back().merge(NeedsOf(models, *version));
    looked.pinned.push_back(std::move(version));
  }
  return base::OkStatus();
}

// A client may send an input in device memory if a step's model takes it there.
void TakeDeviceMemory(const Plan& plan, core::ModelSignature& signature) {
  for (const size_t tensor : plan.inputs) {
    const int input = signature.FindInput(plan.tensors[tensor].name);
    if (input >= 0) signature.inputs[static_cast<size_t>(input)].takes_device_memory = plan.tensors[tensor].on_device;
  }
}

// Completes the plan and the signature from the steps' models.
base::Status Fit(const core::ModelCaller& models, const config::ModelConfig& config, bool triton_exact, Plan& plan,
                 core::ModelSignature& signature) {
  Looked looked;
  TensorTypes types(plan, config);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    INFERD_RETURN_IF_ERROR(LookAt(models, plan, i, types, looked));
    TakeForms(plan, i, looked.models[i], signature);
  }
  Deepen(plan, looked.models);
  TakeDeviceMemory(plan, signature);
  signature.decoupled = plan.decoupled();
  INFERD_RETURN_IF_ERROR(CheckMakers(plan));
  if (triton_exact) INFERD_RETURN_IF_ERROR(CheckStreams(plan));
  INFERD_RETURN_IF_ERROR(AddOptions(plan, *config.ensemble, types));
  return CheckHolding(plan, looked.needs);
}

}  // namespace

std::string_view EnsembleEngine::name() const { return config::kEnsembleEngine; }
std::string_view EnsembleEngine::version() const { return base::BuildVersion(); }

base::Result<std::unique_ptr<core::EngineModel>> EnsembleEngine::Load(const core::LoadSpec& spec) {
  auto ensemble = std::make_shared<LoadedEnsemble>();
  ensemble->models = models_;
  ensemble->repeats_sequences = options_.triton_exact;
  ensemble->logger = options_.logger;
  Plan& plan = ensemble->plan;
  plan = MakePlan(*spec.config);
  core::ModelSignature signature = SignatureOf(*spec.config);
  if (ensemble->models != nullptr) {
    INFERD_RETURN_IF_ERROR(Fit(*ensemble->models, *spec.config, options_.triton_exact, plan, signature));
  }
  if (options_.triton_exact && options_.logger != nullptr && plan.inflight_max > 0) {
    options_.logger->Info("Ensemble model '" + plan.ensemble +
                          "' configured with max_inflight_requests: " + std::to_string(plan.inflight_max));
  }
  ensemble->counts = std::make_unique<StepCounts>(plan);
  return std::make_unique<EnsembleModel>(std::move(ensemble), std::move(signature));
}

}  // namespace inferd::ensemble
