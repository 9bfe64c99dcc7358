#include "serving/enginehost/model/loaded_model.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <set>

#include "config/model/instances.h"
#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

constexpr size_t kAlignmentMax = 4096;
constexpr size_t kOthersMax = 255;  // each has a scheduler of its own
const std::string kWrongly = "describes the model wrongly: ";

base::Result<InputWish> ToWish(const inferd_tensor_spec& spec) {
  InputWish wish;
  wish.alignment = std::max<size_t>(spec.alignment, 1);
  if (!std::has_single_bit(wish.alignment) || wish.alignment > kAlignmentMax) {
    return std::unexpected(base::Internal("input '" + std::string(ToView(spec.name)) + "' asks for an alignment of " +
                                          std::to_string(wish.alignment) + ", which is no power of two up to 4096"));
  }
  wish.elements = spec.datatype == INFERD_TYPE_BYTES && spec.bytes_form == INFERD_BYTES_ELEMENTS;
  wish.one_piece = spec.one_piece != 0;
  if (INFERD_HAS_FIELD(inferd_tensor_spec, &spec, memory_kinds)) wish.memory_kinds = spec.memory_kinds;
  if (wish.memory_kinds >= 1u << (INFERD_MEMORY_GPU + 1)) {
    return std::unexpected(
        base::Internal("input '" + std::string(ToView(spec.name)) + "' names kinds of memory that there are not"));
  }
  return wish;
}

bool IsOnGpusAlone(const config::ModelConfig& config) {
  const std::vector<config::Instance> instances = config::ExpandInstances(config);
  return !instances.empty() && std::ranges::all_of(instances, [](const config::Instance& instance) {
    return instance.kind == config::InstanceKind::kGpu;
  });
}

// Relaxes the output dimensions that a model's file declares: to -1 where the configuration has -1, and, if the model
// batches, in the first dimension from 1 (the one row of an example) to -1.
void WidenOutputs(const config::ModelConfig& config, core::ModelSignature& signature) {
  const bool batches = config.max_batch_size > 0;
  for (core::TensorSpec& spec : signature.outputs) {
    if (!spec.shape_is_hint || spec.shape.rank() == 0) continue;
    if (batches && spec.shape[0] == 1) spec.shape[0] = -1;
    const auto written = std::ranges::find(config.outputs, spec.name, &config::ModelOutput::name);
    if (written == config.outputs.end()) continue;
    tensor::Shape wanted = written->reshape.value_or(written->dims);
    if (batches) wanted.Prepend(-1);
    if (wanted.rank() != spec.shape.rank()) continue;  // the comparison with the configuration reports it
    for (size_t d = 0; d < wanted.rank(); ++d) {
      if (wanted[d] == -1) spec.shape[d] = -1;
    }
  }
}

}  // namespace

base::Result<std::shared_ptr<const LoadedModel>> LoadedModel::Take(OpenedEngine* engine, inferd_model* model,
                                                                   const core::LoadSpec& spec, int cpu_threads) {
  std::shared_ptr<LoadedModel> loaded(new LoadedModel(engine, model, 0, nullptr));
  const base::Status status = loaded->ReadSignature(loaded->table().signature(model), spec, cpu_threads);
  if (!status.ok()) return std::unexpected(loaded->Fault(kWrongly + status.message()));
  if (loaded->signature().only_shown)
    return std::unexpected(loaded->Fault(kWrongly + "its first signature is only shown"));
  return loaded;
}

base::Result<std::vector<std::shared_ptr<const LoadedModel>>> LoadedModel::TakeOthers(
    const std::shared_ptr<const LoadedModel>& first, const core::LoadSpec& spec, int cpu_threads) {
  std::vector<std::shared_ptr<const LoadedModel>> others;
  const inferd_engine& table = first->table();
  if (!INFERD_HAS_FIELD(inferd_engine, &table, other_signature) || table.other_signature == nullptr) return others;
  std::set<std::string_view> names = {first->signature().name};
  for (size_t number = 1; const inferd_signature* abi = table.other_signature(first->get(), number); ++number) {
    std::shared_ptr<LoadedModel> other(new LoadedModel(first->engine_, first->model_, number, first));
    base::Status status = other->ReadSignature(abi, spec, cpu_threads);
    const std::string& name = other->signature().name;
    if (status.ok() && name.empty()) status = base::Internal("a signature has no name");
    if (status.ok() && !names.insert(name).second) status = base::Internal("signature '" + name + "' is listed twice");
    if (status.ok() && number > kOthersMax) {
      status = base::Internal("more than " + std::to_string(kOthersMax) + " other signatures");
    }
    if (!status.ok()) return std::unexpected(first->Fault(kWrongly + status.message()));
    others.push_back(std::move(other));
  }
  return others;
}

base::Result<std::shared_ptr<const LoadedModel>> LoadedModel::TakeOpened(
    const std::shared_ptr<const LoadedModel>& first, const inferd_signature* abi, size_t number) {
  std::shared_ptr<LoadedModel> opened(new LoadedModel(first->engine_, first->model_, number, first));
  const base::Status status = opened->ReadSignature(abi, {}, first->compute_threads());
  if (!status.ok()) return std::unexpected(first->Fault(kWrongly + status.message()));
  return opened;
}

LoadedModel::~LoadedModel() {
  if (first_ == nullptr) engine_->table->unload(model_);
}

base::Status LoadedModel::CheckReady() const {
  inferd_error error;
  int32_t code = INFERD_INTERNAL;
  try {
    code = table().check_ready(model_, &error);
  } catch (const std::exception& e) {
    error.status = Fault("threw an exception: " + std::string(e.what()));
  }
  if (code == INFERD_OK) return base::OkStatus();
  if (error.status.ok()) error.status = Fault("says that the model is not ready and does not say why");
  return base::Unavailable(error.status.message());
}

void LoadedModel::WarnOfShape(const core::TensorSpec& output, const tensor::Shape& actual) const {
  if (warned_of_shape_.load(std::memory_order_relaxed) || warned_of_shape_.exchange(true)) return;
  if (engine_->logger == nullptr) return;
  engine_->logger->Warning(
      "an output has another shape than its model declares, and is answered with it; dims with -1 in config.pbtxt have "
      "metadata say so",
      {{"model", name_},
       {"version", version_},
       {"output", output.name},
       {"declared", output.shape.ToString()},
       {"shape", actual.ToString()}});
}

base::Status LoadedModel::Fault(std::string_view what) const {
  return base::Internal("engine '" + engine_->name + "' " + std::string(what));
}

base::Status LoadedModel::ReadSignature(const inferd_signature* abi, const core::LoadSpec& spec, int cpu_threads) {
  if (abi == nullptr) return base::Internal("no signature");
  INFERD_ASSIGN_OR_RETURN(signature_, ToSignature(*abi));
  name_ = first_ == nullptr ? spec.model_name : first_->name();
  version_ = first_ == nullptr ? spec.version : first_->version();
  signature_.max_batch_size = spec.config ? spec.config->max_batch_size : 0;
  if (first_ != nullptr) {
    pinned_memory_ = first_->pinned_memory_;
    eager_on_gpus_ = first_->eager_on_gpus_;
  } else if (spec.config != nullptr) {
    WidenOutputs(*spec.config, signature_);
    pinned_memory_ = config::PinnedMemoryOf(*spec.config);
    eager_on_gpus_ = spec.config->eager_batching && IsOnGpusAlone(*spec.config);
  }
  for (size_t i = 0; i < abi->input_count; ++i) {
    INFERD_ASSIGN_OR_RETURN(const InputWish wish, ToWish(*abi->inputs[i]));
    wishes_.push_back(wish);
  }
  for (size_t i = 0; i < abi->significant_parameter_count; ++i) {
    significant_parameters_.emplace_back(ToView(abi->significant_parameters[i]));
  }
  const int compute_threads = INFERD_HAS_FIELD(inferd_signature, abi, compute_threads) ? abi->compute_threads : 0;
  if (compute_threads < -1) {
    return base::Internal("executions that keep " + std::to_string(compute_threads) + " threads busy");
  }
  compute_threads_ = compute_threads == 0 ? cpu_threads : std::max(compute_threads, 0);
  computes_elsewhere_ = INFERD_HAS_FIELD(inferd_signature, abi, computes_elsewhere) && abi->computes_elsewhere != 0;
  returns_at_once_ = INFERD_HAS_FIELD(inferd_signature, abi, returns_at_once) && abi->returns_at_once != 0;
  const int unfinished =
      INFERD_HAS_FIELD(inferd_signature, abi, unfinished_executions_max) ? abi->unfinished_executions_max : 0;
  if (unfinished < 0 || unfinished > INFERD_UNFINISHED_EXECUTIONS_MAX) {
    return base::Internal("instances with " + std::to_string(unfinished) + " unfinished executions");
  }
  unfinished_executions_max_ = std::max(unfinished, 1);
  prepares_ahead_ = eager_on_gpus_ && unfinished_executions_max_ == 1;
  executions_ahead_ = INFERD_HAS_FIELD(inferd_signature, abi, executions_ahead) ? abi->executions_ahead : 0;
  if (executions_ahead_ < 0 || executions_ahead_ > INFERD_EXECUTIONS_AHEAD_MAX) {
    return base::Internal("instances that take " + std::to_string(executions_ahead_) + " executions ahead");
  }
  if (first_ == nullptr && INFERD_HAS_FIELD(inferd_signature, abi, checks_readiness) && abi->checks_readiness != 0) {
    if (!INFERD_HAS_FIELD(inferd_engine, &table(), check_ready) || table().check_ready == nullptr) {
      return base::Internal("it checks its readiness, and there is no check_ready()");
    }
    checks_readiness_ = true;
  }
  parallel_instances_ = INFERD_HAS_FIELD(inferd_signature, abi, parallel_instances) && abi->parallel_instances != 0;
  return ReadCompleted(*abi);
}

base::Status LoadedModel::ReadCompleted(const inferd_signature& abi) {
  if (!INFERD_HAS_FIELD(inferd_signature, &abi, completed_dynamic_batching)) return base::OkStatus();
  if (abi.completed_max_batch_size < 0) {
    return base::Internal("a max_batch_size of " + std::to_string(abi.completed_max_batch_size));
  }
  completed_ = {.max_batch_size = abi.completed_max_batch_size,
                .dynamic_batching = abi.completed_dynamic_batching != 0,
                .tensors = INFERD_HAS_FIELD(inferd_signature, &abi, completed_tensors) && abi.completed_tensors != 0};
  if (INFERD_HAS_FIELD(inferd_signature, &abi, completed_transaction_policy) && abi.completed_transaction_policy != 0) {
    completed_.decoupled = signature_.decoupled;
  }
  if (completed_.max_batch_size > 0) signature_.max_batch_size = completed_.max_batch_size;
  return base::OkStatus();
}

}  // namespace inferd::enginehost
