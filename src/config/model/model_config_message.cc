#include "config/model/model_config_message.h"

#include <algorithm>

#include "config/ensemble_message.h"

namespace inferd::config {

namespace {

tensor::Shape ToShape(const google::protobuf::RepeatedField<int64_t>& dims) {
  return tensor::Shape(std::span<const int64_t>(dims.data(), static_cast<size_t>(dims.size())));
}

// The enumerations share their numbers. FindProblems() reports numbers that ours lacks.
tensor::DataType ToDataType(inference::DataType type) {
  return IsDataType(type) ? static_cast<tensor::DataType>(type) : tensor::DataType::kInvalid;
}

QueuePolicy ToQueuePolicy(const inference::ModelQueuePolicy& from) {
  return {
      .timeout_action =
          from.timeout_action() == inference::ModelQueuePolicy::DELAY ? TimeoutAction::kDelay : TimeoutAction::kReject,
      .default_timeout_us = from.default_timeout_microseconds(),
      .allow_timeout_override = from.allow_timeout_override(),
      .queue_size_max = from.max_queue_size(),
  };
}

InstanceGroup ToInstanceGroup(const inference::ModelInstanceGroup& from) {
  InstanceGroup to{.name = from.name(), .kind = InstanceKind::kAuto, .count = std::max(from.count(), 1), .gpus = {}};
  if (from.kind() == inference::ModelInstanceGroup::KIND_GPU) to.kind = InstanceKind::kGpu;
  if (from.kind() == inference::ModelInstanceGroup::KIND_CPU) to.kind = InstanceKind::kCpu;
  if (from.kind() == inference::ModelInstanceGroup::KIND_MODEL) to.kind = InstanceKind::kModel;
  to.gpus.assign(from.gpus().begin(), from.gpus().end());
  to.host_policy = from.host_policy();
  for (const auto& resource : from.rate_limiter().resources()) {
    to.resources.push_back({.name = resource.name(), .global = resource.global(), .count = resource.count()});
  }
  to.priority = from.rate_limiter().priority();
  return to;
}

DynamicBatching ToDynamicBatching(const inference::ModelDynamicBatching& from) {
  DynamicBatching to;
  to.preferred_batch_sizes.assign(from.preferred_batch_size().begin(), from.preferred_batch_size().end());
  to.max_queue_delay_us = from.max_queue_delay_microseconds();
  to.preserve_ordering = from.preserve_ordering();
  to.priority_levels = from.priority_levels();
  to.default_priority_level = from.default_priority_level();
  to.default_queue_policy = ToQueuePolicy(from.default_queue_policy());
  for (const auto& [level, policy] : from.priority_queue_policy()) {
    to.priority_queue_policy[level] = ToQueuePolicy(policy);
  }
  return to;
}

// An unset choice gives any control; FindProblems() refuses it.
SequenceControl ToControl(const std::string& name, const inference::ModelSequenceBatching::Control& from) {
  SequenceControl to{.name = name, .kind = static_cast<SequenceControlKind>(from.kind())};
  const auto set = [&to](tensor::DataType datatype, const auto& values) {
    if (values.size() < 2) return;
    to.datatype = datatype;
    to.false_value = static_cast<double>(values.Get(0));
    to.true_value = static_cast<double>(values.Get(1));
  };
  set(tensor::DataType::kInt32, from.int32_false_true());
  set(tensor::DataType::kFp32, from.fp32_false_true());
  set(tensor::DataType::kBool, from.bool_false_true());
  if (to.kind == SequenceControlKind::kCorrid) to.datatype = ToDataType(from.data_type());
  return to;
}

// Open sizes of an initial state become 1.
SequenceState ToState(const inference::ModelSequenceBatching::State& from) {
  SequenceState to{.input = from.input_name(),
                   .output = from.output_name(),
                   .datatype = ToDataType(from.data_type()),
                   .dims = ToShape(from.dims()),
                   .initial_dims = {},
                   .initial_file = {}};
  to.initial_dims = to.dims;
  if (from.initial_state_size() > 0) {
    to.initial_dims = ToShape(from.initial_state(0).dims());
    to.initial_file = from.initial_state(0).data_file();
  }
  for (size_t i = 0; i < to.initial_dims.rank(); ++i) {
    if (to.initial_dims[i] < 0) to.initial_dims[i] = 1;
  }
  return to;
}

SequenceBatching ToSequenceBatching(const inference::ModelSequenceBatching& from) {
  SequenceBatching to;
  if (from.max_sequence_idle_microseconds() > 0) to.max_idle_us = from.max_sequence_idle_microseconds();
  for (const auto& input : from.control_input()) {
    for (const auto& control : input.control()) to.controls.push_back(ToControl(input.name(), control));
  }
  for (const auto& state : from.state()) to.states.push_back(ToState(state));
  to.iterative = from.iterative_sequence();
  if (from.has_oldest()) {
    const auto& oldest = from.oldest();
    to.strategy = SequenceStrategy::kOldest;
    to.max_queue_delay_us = oldest.max_queue_delay_microseconds();
    to.max_candidate_sequences = oldest.max_candidate_sequences();
    to.preferred_batch_sizes.assign(oldest.preferred_batch_size().begin(), oldest.preferred_batch_size().end());
    to.preserve_ordering = oldest.preserve_ordering();
  } else {
    to.max_queue_delay_us = from.direct().max_queue_delay_microseconds();
    to.minimum_slot_utilization = from.direct().minimum_slot_utilization();
  }
  return to;
}

Warmup ToWarmup(const inference::ModelWarmup& from) {
  Warmup to{.name = from.name(), .batch_size = from.batch_size(), .count = std::max(from.count(), 1u), .inputs = {}};
  for (const auto& [name, input] : from.inputs()) {
    WarmupInput& item = to.inputs[name];
    item.datatype = ToDataType(input.data_type());
    item.dims = ToShape(input.dims());
    if (input.random_data()) item.data = WarmupData::kRandom;
    if (!input.input_data_file().empty()) {
      item.data = WarmupData::kFile;
      item.file = input.input_data_file();
    }
  }
  return to;
}

std::vector<Accelerator> ToAccelerators(
    const google::protobuf::RepeatedPtrField<inference::ModelOptimizationPolicy::ExecutionAccelerators::Accelerator>&
        from) {
  std::vector<Accelerator> to;
  for (const auto& item : from) {
    to.push_back({item.name(), {item.parameters().begin(), item.parameters().end()}});
  }
  return to;
}

template <typename Tensor>
std::optional<tensor::Shape> ToReshape(const Tensor& from) {
  return from.has_reshape() ? std::optional(ToShape(from.reshape().shape())) : std::nullopt;
}

void ReadTensors(const inference::ModelConfig& from, ModelConfig& to) {
  for (const auto& input : from.input()) {
    to.inputs.push_back({.name = input.name(),
                         .datatype = ToDataType(input.data_type()),
                         .dims = ToShape(input.dims()),
                         .optional = input.optional(),
                         .reshape = ToReshape(input),
                         .allow_ragged_batch = input.allow_ragged_batch()});
  }
  for (const auto& output : from.output()) {
    to.outputs.push_back({.name = output.name(),
                          .datatype = ToDataType(output.data_type()),
                          .dims = ToShape(output.dims()),
                          .label_filename = output.label_filename(),
                          .reshape = ToReshape(output)});
  }
}

// Entries with several targets become several entries. Each kind has one source; FindProblems() checks that.
void ReadBatchTensors(const inference::ModelConfig& from, ModelConfig& to) {
  for (const auto& input : from.batch_input()) {
    const std::string source = input.source_input().empty() ? "" : input.source_input(0);
    for (const std::string& target : input.target_name()) {
      to.batch_inputs.push_back({.kind = static_cast<BatchInputKind>(input.kind()),
                                 .target_name = target,
                                 .datatype = ToDataType(input.data_type()),
                                 .source_input = source});
    }
  }
  for (const auto& output : from.batch_output()) {
    const std::string source = output.source_input().empty() ? "" : output.source_input(0);
    for (const std::string& target : output.target_name()) to.batch_outputs.push_back({target, source});
  }
}

Dependency ToDependency(const inference::InferdOptions::Dependency& from) {
  return {.model = from.model(), .version = from.has_version() ? std::optional(from.version()) : std::nullopt};
}

void AddDependency(Dependency dependency, ModelConfig& to) {
  if (std::ranges::find(to.dependencies, dependency) != to.dependencies.end()) return;
  // Keeps one more than the limit, which shows that there are too many.
  if (to.dependencies.size() <= kDependenciesMax) to.dependencies.push_back(std::move(dependency));
}

void ReadDependencies(const inference::ModelConfig& from, ModelConfig& to) {
  for (const auto& other : from.inferd().depends_on()) AddDependency(ToDependency(other), to);
  if (from.inferd().has_explainer()) {
    to.explainer = ToDependency(from.inferd().explainer());
    AddDependency(*to.explainer, to);
  }
  if (to.ensemble == nullptr) return;
  for (const EnsembleStep& step : to.ensemble->steps) {
    for (const EnsembleCall& call : step.Calls()) AddDependency({.model = call.model, .version = call.version}, to);
  }
}

void ReadInferdOptions(const inference::InferdOptions& from, ModelConfig& to) {
  to.queue_policy = ToQueuePolicy(from.queue_policy());
  if (from.inline_execution() == inference::NEVER) to.inline_execution = InlineExecution::kNever;
  if (from.inline_execution() == inference::ALWAYS) to.inline_execution = InlineExecution::kAlways;
  to.inline_execution_max_us = from.inline_execution_max_microseconds();
  if (from.batching() == inference::InferdOptions::AUTO) to.batching = BatchingMode::kAuto;
  if (from.batching() == inference::InferdOptions::OFF) to.batching = BatchingMode::kOff;
  to.latency_objective_us = from.latency_objective_us();
  to.split_large_requests = from.split_large_requests();
  to.side_effect_free = !from.has_side_effect_free() || from.side_effect_free();
  const auto& sizes = from.batch_padding().allowed_sizes();
  to.allowed_batch_sizes.assign(sizes.begin(), sizes.end());
  to.pads_to_largest_shape = from.batch_padding().to_largest_shape();
  for (const auto& rule : from.padding()) {
    PaddedDimension& padded = to.padding.emplace_back();
    padded.input = rule.input();
    padded.dim = rule.dim();
    padded.buckets.assign(rule.buckets().begin(), rule.buckets().end());
    padded.value = rule.value();
    for (const auto& output : rule.output()) padded.outputs.push_back({output.name(), output.dim()});
  }
  to.version_labels.insert(from.version_labels().begin(), from.version_labels().end());
  if (from.has_version_transition()) {
    const bool resource = from.version_transition() == inference::InferdOptions::RESOURCE;
    to.version_transition = resource ? VersionTransition::kResource : VersionTransition::kAvailability;
  }
  if (from.isolation() == inference::InferdOptions::PROCESS) to.isolation = Isolation::kProcess;
  if (from.isolation() == inference::InferdOptions::ENGINE_PROCESS) to.isolation = Isolation::kEngineProcess;
  if (from.worker().hang_timeout_ms() > 0) to.worker.hang_timeout_ms = from.worker().hang_timeout_ms();
  if (from.worker().shared_memory_bytes() > 0) to.worker.shared_memory_bytes = from.worker().shared_memory_bytes();
  if (from.worker().body_memory_bytes() > 0) to.worker.body_memory_bytes = from.worker().body_memory_bytes();
  to.pinned = from.pinned();
  if (from.has_v1_dialect()) {
    const bool kserve = from.v1_dialect() == inference::InferdOptions::KSERVE;
    to.v1_dialect = kserve ? V1Dialect::kKserve : V1Dialect::kTensorflowServing;
  }
  to.memory_bytes = from.memory_bytes();
  to.concurrency = {.min = std::max(from.concurrency().min(), 1u), .max = from.concurrency().max()};
}

}  // namespace

bool IsDataType(inference::DataType type) {
  const int number = type;
  return inference::DataType_IsValid(type) || (number > 0 && number <= static_cast<int>(tensor::kLastDataType));
}

std::string DataTypeText(inference::DataType type) {
  if (inference::DataType_IsValid(type)) return inference::DataType_Name(type);
  return IsDataType(type) ? "TYPE_" + std::string(tensor::DataTypeName(static_cast<tensor::DataType>(type))) : "";
}

ModelConfig FromMessage(std::unique_ptr<const ModelConfigDocument::Message> message) {
  const inference::ModelConfig& from = message->proto;
  ModelConfig to;
  to.name = from.name();
  to.platform = from.platform();
  to.backend = from.backend();
  to.default_model_filename = from.default_model_filename();
  to.version_policy = ToVersionPolicy(from.version_policy());
  to.max_batch_size = from.max_batch_size();
  ReadTensors(from, to);
  for (const auto& group : from.instance_group()) to.instance_groups.push_back(ToInstanceGroup(group));
  ReadBatchTensors(from, to);
  ReadInferdOptions(from.inferd(), to);
  if (from.has_ensemble_scheduling()) {
    to.ensemble = std::make_shared<const Ensemble>(ToEnsemble(from.ensemble_scheduling()));
  }
  ReadDependencies(from, to);
  if (from.platform() == kEnsembleEngine && to.instance_groups.empty()) {
    // An ensemble only calls others: one instance is enough for any number of requests, and it is not shown.
    InstanceGroup& group = to.instance_groups.emplace_back();
    group.name = from.name();
    group.kind = InstanceKind::kCpu;
  }
  to.decoupled = from.model_transaction_policy().decoupled();
  if (from.has_dynamic_batching()) {
    to.dynamic_batching = ToDynamicBatching(from.dynamic_batching());
    if (!from.dynamic_batching().has_default_queue_policy()) {
      to.dynamic_batching->default_queue_policy = to.queue_policy;
    }
  }
  if (from.has_sequence_batching()) to.sequence_batching = ToSequenceBatching(from.sequence_batching());
  for (const auto& warmup : from.model_warmup()) to.warmups.push_back(ToWarmup(warmup));
  for (const auto& [key, parameter] : from.parameters()) to.parameters[key] = parameter.string_value();
  const auto& libraries = from.model_operations().op_library_filename();
  to.op_library_filenames.assign(libraries.begin(), libraries.end());
  to.metric_tags = {from.metric_tags().begin(), from.metric_tags().end()};
  const auto& accelerators = from.optimization().execution_accelerators();
  to.gpu_accelerators = ToAccelerators(accelerators.gpu_execution_accelerator());
  to.cpu_accelerators = ToAccelerators(accelerators.cpu_execution_accelerator());
  to.graph_optimization_level = from.optimization().graph().level();
  to.eager_batching = from.optimization().eager_batching();
  to.document = std::make_shared<const ModelConfigDocument>(std::move(message));
  return to;
}

std::unique_ptr<ModelConfigDocument::Message> CopyMessage(const ModelConfig& config) {
  if (config.document == nullptr) return std::make_unique<ModelConfigDocument::Message>();
  return std::make_unique<ModelConfigDocument::Message>(config.document->message());
}

base::Status ToStatus(const std::vector<Problem>& problems, bool place_last) {
  if (problems.empty()) return base::OkStatus();
  constexpr size_t kShownMax = 10;
  std::string text;
  for (size_t i = 0; i < std::min(problems.size(), kShownMax); ++i) {
    if (i > 0) text += '\n';
    text += place_last ? problems[i].ToStringPlaceLast() : problems[i].ToString();
  }
  if (problems.size() > kShownMax) text += "\nand " + std::to_string(problems.size() - kShownMax) + " more";
  return base::InvalidArgument(std::move(text));
}

}  // namespace inferd::config
