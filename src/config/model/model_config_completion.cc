#include "config/model/model_config_completion.h"

#include <algorithm>
#include <iterator>

#include "config/model/model_config_place.h"
#include "config/model/model_config_resolution.h"

namespace inferd::config {
namespace {

inference::DataType ToProto(tensor::DataType type) { return static_cast<inference::DataType>(type); }

// Returns the shape for the engine, with the batch dimension if there is one. Ragged inputs arrive as one row of
// elements.
template <typename Tensor>
tensor::Shape EngineShape(const Tensor& tensor, bool batches) {
  if constexpr (requires { tensor.allow_ragged_batch(); }) {
    if (tensor.allow_ragged_batch()) return {-1};
  }
  tensor::Shape shape;
  if (batches) shape.Append(-1);
  for (const int64_t dim : tensor.has_reshape() ? tensor.reshape().shape() : tensor.dims()) shape.Append(dim);
  return shape;
}

// Compares and completes one kind of tensors, inputs or outputs, of one model.
class TensorCompletion {
 public:
  TensorCompletion(inference::ModelConfig& config, const Place& place, std::string kind, std::vector<Problem>& problems)
      : config_(config),
        place_(place),
        kind_(std::move(kind)),
        batches_(config.max_batch_size() > 0),
        problems_(problems) {}

  template <typename Tensors>
  void Fill(const std::vector<TensorInfo>& found, Tensors& tensors) {
    for (const TensorInfo& info : found) {
      if (batches_ && !tensor::BeginsWithAnySize(info.shape)) {
        problems_.push_back(place_.At("max_batch_size", "autofill failed for model '" + config_.name() +
                                                            "': model does not support batching while non-zero "
                                                            "max_batch_size is specified: " +
                                                            kind_ + " '" + info.name + "' has shape " +
                                                            info.shape.ToString()));
        continue;
      }
      auto& tensor = *tensors.Add();
      tensor.set_name(info.name);
      tensor.set_data_type(ToProto(info.datatype));
      FillDims(info, tensor);
      if constexpr (requires { tensor.set_optional(true); }) tensor.set_optional(info.optional);
    }
  }

  // Compares the tensors that the configuration lists, and adds the others.
  template <typename Tensors>
  void Merge(const std::vector<TensorInfo>& found, Tensors& tensors) {
    Compare(found, tensors);
    std::vector<TensorInfo> further;
    std::ranges::copy_if(found, std::back_inserter(further), [&](const TensorInfo& info) {
      return std::ranges::none_of(tensors, [&](const auto& tensor) { return tensor.name() == info.name; });
    });
    Fill(further, tensors);
  }

  template <typename Tensors>
  void Compare(const std::vector<TensorInfo>& found, Tensors& tensors) {
    for (int i = 0; i < tensors.size(); ++i) {
      auto& tensor = tensors[i];
      const auto info = std::ranges::find(found, tensor.name(), &TensorInfo::name);
      if (info == found.end()) {
        std::string names;
        for (const TensorInfo& each : found) names += (names.empty() ? "" : ", ") + each.name;
        problems_.push_back(place_.In(kind_, i).At("name", "unexpected inference " + kind_ + " '" + tensor.name() +
                                                               "', allowed " + kind_ + "s are: " + names));
        continue;
      }
      CompareType(*info, tensor, i);
      CompareShape(*info, tensor, i);
      if constexpr (requires { tensor.set_optional(true); }) tensor.set_optional(tensor.optional() || info->optional);
    }
  }

 private:
  template <typename Tensor>
  void FillDims(const TensorInfo& info, Tensor& tensor) {
    const auto dims = info.shape.dims();
    for (size_t d = batches_ ? 1 : 0; d < dims.size(); ++d) tensor.add_dims(dims[d]);
  }

  template <typename Tensor>
  void CompareType(const TensorInfo& info, Tensor& tensor, int i) {
    if (info.datatype == tensor::DataType::kInvalid) return;
    if (tensor.data_type() == inference::TYPE_INVALID) tensor.set_data_type(ToProto(info.datatype));
    if (tensor.data_type() == ToProto(info.datatype)) return;
    problems_.push_back(place_.In(kind_, i).At(
        "data_type", "unable to load model '" + config_.name() + "', configuration expects datatype " +
                         DataTypeText(tensor.data_type()) + " for " + kind_ + " '" + tensor.name() +
                         "', model provides " + DataTypeText(ToProto(info.datatype))));
  }

  // True if the clients' shape differs from the model's, and cannot be derived from it.
  template <typename Tensor>
  bool HasShapeOfItsOwn(const Tensor& tensor) const {
    if constexpr (requires { tensor.allow_ragged_batch(); }) {
      return tensor.has_reshape() || tensor.allow_ragged_batch();
    }
    return tensor.has_reshape();
  }

  // True for outputs of batch_output, which have no batch dimension and any shape.
  bool IsScattered(const std::string& name) const {
    return std::ranges::any_of(config_.batch_output(), [&](const inference::BatchOutput& scattered) {
      return std::ranges::find(scattered.target_name(), name) != scattered.target_name().end();
    });
  }

  // Replaces -1 in the configuration by the model's size of that dimension. Returns false if the model has none, or if
  // it is the batch's dimension.
  template <typename Tensor>
  bool Narrow(const TensorInfo& info, size_t d, Tensor& tensor) const {
    const size_t first = batches_ ? 1 : 0;
    if (d < first || HasShapeOfItsOwn(tensor)) return false;
    const int at = static_cast<int>(d - first);
    if (tensor.dims(at) != -1) return false;
    tensor.set_dims(at, info.shape[d]);
    return true;
  }

  template <typename Tensor>
  void CompareShape(const TensorInfo& info, Tensor& tensor, int i) {
    // Rank 0 is a scalar, or a model that does not say.
    if (info.shape.rank() == 0) return;
    if constexpr (std::is_same_v<Tensor, inference::ModelOutput>) {
      if (IsScattered(tensor.name())) return;
    }
    if (tensor.dims_size() == 0 && !HasShapeOfItsOwn(tensor) && (!batches_ || info.shape[0] == -1)) {
      return FillDims(info, tensor);
    }
    const tensor::Shape full = EngineShape(tensor, batches_);
    bool fits = full.rank() == info.shape.rank();
    for (size_t d = 0; fits && d < full.rank(); ++d) {
      fits = info.shape[d] == -1 || info.shape[d] == full[d] || Narrow(info, d, tensor);
    }
    if (!fits) problems_.push_back(place_.In(kind_, i).At("dims", OtherShape(info.shape, full, tensor.name())));
  }

  // Returns Triton's text, which states the number of dimensions even if the numbers agree.
  std::string OtherShape(const tensor::Shape& model, const tensor::Shape& written, const std::string& tensor) const {
    const std::string batch = batches_ ? "an initial batch dimension because max_batch_size > 0 followed by the "
                                         "explicit tensor shape, making complete shape "
                                       : "shape ";
    return "model '" + config_.name() + "', tensor '" + tensor + "': the model expects " +
           std::to_string(model.rank()) + " dimensions (shape " + model.ToString() +
           ") but the model configuration specifies " + std::to_string(written.rank()) + " dimensions (" + batch +
           written.ToString() + ")";
  }

  inference::ModelConfig& config_;
  const Place& place_;
  std::string kind_;
  bool batches_;
  std::vector<Problem>& problems_;
};

void CheckComplete(const inference::ModelConfig& config, const Place& place, std::vector<Problem>& problems) {
  const auto check = [&](const auto& tensors, const std::string& kind) {
    for (int i = 0; i < tensors.size(); ++i) {
      if (tensors[i].data_type() != inference::TYPE_INVALID) continue;
      problems.push_back(place.In(kind, i).Here("model " + kind + " '" + tensors[i].name() +
                                                "' must specify 'data_type' for " + config.name()));
    }
  };
  check(config.input(), "input");
  check(config.output(), "output");
}

// An input of the model that the server makes: clients do not see it. Removes it from `inputs`.
struct MadeInput {
  std::string name;
  std::string what;  // "batch input"
  inference::DataType datatype = inference::TYPE_INVALID;
};
void TakeMadeInput(const inference::ModelConfig& config, const MadeInput& made, const Problem& absent,
                   const Place& place, std::vector<TensorInfo>& inputs, std::vector<Problem>& problems) {
  const auto info = std::ranges::find(inputs, made.name, &TensorInfo::name);
  if (info == inputs.end()) {
    problems.push_back(absent);
    return;
  }
  if (info->datatype != tensor::DataType::kInvalid && ToProto(info->datatype) != made.datatype) {
    problems.push_back(place.At("data_type", "unable to load model '" + config.name() +
                                                 "', configuration expects datatype " + DataTypeText(made.datatype) +
                                                 " for " + made.what + " '" + info->name + "', model provides " +
                                                 DataTypeText(ToProto(info->datatype))));
  }
  inputs.erase(info);
}

std::string NoInput(const std::string& name) { return "the model has no input '" + name + "'"; }

// The targets of batch_input are inputs of the model, but not of its clients.
void TakeBatchInputs(const inference::ModelConfig& config, const Place& place, std::vector<TensorInfo>& inputs,
                     std::vector<Problem>& problems) {
  for (int i = 0; i < config.batch_input_size(); ++i) {
    const auto& item = config.batch_input(i);
    const Place inside = place.In("batch_input", i);
    for (int t = 0; t < item.target_name_size(); ++t) {
      const std::string& name = item.target_name(t);
      TakeMadeInput(config, {.name = name, .what = "batch input", .datatype = item.data_type()},
                    inside.At("target_name", t, NoInput(name)), inside, inputs, problems);
    }
  }
}

// The same for the controls of sequences. `config` has the content of `proto`.
void TakeControls(const ModelConfig& config, const inference::ModelConfig& proto, const Place& place,
                  std::vector<TensorInfo>& inputs, std::vector<Problem>& problems) {
  const auto& written = proto.sequence_batching().control_input();
  for (int i = 0; i < written.size(); ++i) {
    const Place inside = place.In("sequence_batching").In("control_input", i);
    for (const SequenceControl& control : config.sequence_batching->controls) {
      if (control.name != written[i].name()) continue;
      TakeMadeInput(proto, {.name = control.name, .what = "control", .datatype = ToProto(control.datatype)},
                    inside.At("name", NoInput(control.name)), inside.In("control", 0), inputs, problems);
    }
  }
}

// The same for the states of sequences. Their outputs are the server's unless the configuration lists them.
void TakeStates(const inference::ModelConfig& proto, const Place& place, std::vector<TensorInfo>& inputs,
                std::vector<TensorInfo>& outputs, std::vector<Problem>& problems) {
  const auto& states = proto.sequence_batching().state();
  for (int i = 0; i < states.size(); ++i) {
    const Place inside = place.In("sequence_batching").In("state", i);
    const auto& state = states[i];
    TakeMadeInput(proto, {.name = state.input_name(), .what = "state", .datatype = state.data_type()},
                  inside.At("input_name", NoInput(state.input_name())), inside, inputs, problems);
    const auto output = std::ranges::find(outputs, state.output_name(), &TensorInfo::name);
    if (output == outputs.end()) {
      problems.push_back(inside.At("output_name", "the model has no output '" + state.output_name() + "'"));
    } else if (std::ranges::find(proto.output(), state.output_name(), &inference::ModelOutput::name) ==
               proto.output().end()) {
      outputs.erase(output);
    }
  }
}

void ShareResource(inference::ModelConfig& config, const std::string& name) {
  if (name.empty()) return;
  for (inference::ModelInstanceGroup& group : *config.mutable_instance_group()) {
    if (group.has_rate_limiter()) continue;
    auto& resource = *group.mutable_rate_limiter()->add_resources();
    resource.set_name(name);
    resource.set_global(true);
    resource.set_count(1);
  }
}

// If the configuration does not say whether requests share executions, the batch size decides. Without a delay,
// batching costs a single request nothing.
void CompleteScheduling(inference::ModelConfig& config, bool size_defaulted, const DefaultBatching& batching) {
  if (config.scheduling_choice_case() != inference::ModelConfig::SCHEDULING_CHOICE_NOT_SET) return;
  const auto mode = config.inferd().batching();
  const bool wanted = size_defaulted || mode == inference::InferdOptions::AUTO;
  if (!wanted || mode == inference::InferdOptions::OFF || config.max_batch_size() <= 1) return;
  auto& dynamic = *config.mutable_dynamic_batching();
  if (!size_defaulted) return;
  dynamic.set_max_queue_delay_microseconds(batching.max_queue_delay_us);
  for (const int32_t size : batching.preferred_batch_sizes) {
    if (size <= config.max_batch_size()) dynamic.add_preferred_batch_size(size);
  }
  for (const int32_t size : batching.allowed_batch_sizes) {
    if (size <= config.max_batch_size()) config.mutable_inferd()->mutable_batch_padding()->add_allowed_sizes(size);
  }
  if (batching.pad_to_largest_shape && config.inferd().padding().empty()) {
    config.mutable_inferd()->mutable_batch_padding()->set_to_largest_shape(true);
  }
  ShareResource(config, batching.resource);
  if (batching.split_large_requests) config.mutable_inferd()->set_split_large_requests(true);
  if (batching.queue_size_max == 0 || config.inferd().has_queue_policy()) return;
  dynamic.mutable_default_queue_policy()->set_max_queue_size(batching.queue_size_max);
}

// Fills in the defaults that Triton's server shows.
void FillAsTriton(inference::ModelConfig& config) {
  if (config.has_dynamic_batching() && config.dynamic_batching().preferred_batch_size().empty() &&
      config.max_batch_size() > 0) {
    config.mutable_dynamic_batching()->add_preferred_batch_size(config.max_batch_size());
  }
  if (config.has_ensemble_scheduling()) return;  // they have neither memory nor a file of their own
  auto& optimization = *config.mutable_optimization();
  if (!optimization.has_input_pinned_memory()) optimization.mutable_input_pinned_memory()->set_enable(true);
  if (!optimization.has_output_pinned_memory()) optimization.mutable_output_pinned_memory()->set_enable(true);
  // For an engine that the model's name states.
  if (config.default_model_filename().empty() && config.name().ends_with("." + config.backend())) {
    config.set_default_model_filename("model." + config.backend());
  }
}

void CheckOutputCount(const inference::ModelConfig& config, const std::vector<TensorInfo>& outputs, const Place& place,
                      std::vector<Problem>& problems) {
  if (config.output_size() > 0 || outputs.empty()) return;
  problems.push_back(place.At("output", "unable to load model '" + config.name() +
                                            "', configuration expects 0 outputs, model provides " +
                                            std::to_string(outputs.size())));
}

void CheckInputCount(const inference::ModelConfig& config, const std::vector<TensorInfo>& inputs, const Place& place,
                     std::vector<Problem>& problems) {
  const auto configured = [&](const TensorInfo& info) {
    return std::ranges::any_of(config.input(), [&](const auto& input) { return input.name() == info.name; });
  };
  const bool missing =
      std::ranges::any_of(inputs, [&](const auto& info) { return !info.optional && !configured(info); });
  if (!missing && static_cast<size_t>(config.input_size()) <= inputs.size()) return;
  std::string written;
  for (const auto& input : config.input()) written += (written.empty() ? "'" : ", '") + input.name() + "'";
  std::string provided;
  for (const TensorInfo& info : inputs) provided += (provided.empty() ? "'" : ", '") + info.name + "'";
  problems.push_back(place.At("input", "unable to load model '" + config.name() + "', configuration expects " +
                                           std::to_string(config.input_size()) + " inputs, model provides " +
                                           std::to_string(inputs.size()) + ": the configuration has " + written +
                                           ", the model has " + (provided.empty() ? "none" : provided)));
}

// Returns true if the model's only input has the name that engines give to an array without a name in its file.
bool HasUnnamedInput(const ModelConfig& config) {
  return config.inputs.size() == 1 && config.inputs.front().name == "input-0";
}

}  // namespace

base::Result<ModelConfig> AddCompleted(const ModelConfig& config, const CompletedByModel& completed,
                                       const CompletionOptions& options) {
  auto message = CopyMessage(config);
  inference::ModelConfig& proto = message->proto;
  const int32_t rows = completed.max_batch_size;
  const bool batching = rows > 0 || completed.dynamic_batching;
  if (batching && !options.complete) {
    return std::unexpected(
        base::InvalidArgument("model '" + proto.name() + "' completes its configuration with " +
                              (rows > 0 ? "max_batch_size: " + std::to_string(rows) : "dynamic_batching { }") +
                              ", and configurations are not completed"));
  }
  if (rows > 0) proto.set_max_batch_size(rows);
  // In Triton, a model whose code lists tensors and does not mention batches has no batching.
  const bool none = options.triton_exact && options.complete && completed.tensors;
  if ((batching || none) && !proto.has_max_batch_size()) proto.set_max_batch_size(0);
  if (completed.dynamic_batching) proto.mutable_dynamic_batching();
  if (completed.decoupled.has_value() && options.complete) {
    auto& policy = *proto.mutable_model_transaction_policy();
    policy.set_decoupled(policy.decoupled() || *completed.decoupled);
  }
  ModelConfig result = Rebuild(std::move(message), options);
  result.unacted_fields = config.unacted_fields;
  return result;
}

base::Result<ModelConfig> CompleteModel(ModelConfig config, std::vector<TensorInfo> inputs,
                                        std::vector<TensorInfo> outputs, const CompletionOptions& options,
                                        BatchingDecision batching, bool adds_tensors) {
  auto message = CopyMessage(config);
  inference::ModelConfig& proto = message->proto;
  const Place place(*message);
  std::vector<Problem> problems;
  const bool open = proto.input_size() == 0 && proto.output_size() == 0;
  TakeBatchInputs(proto, place, inputs, problems);
  TakeControls(config, proto, place, inputs, problems);
  TakeStates(proto, place, inputs, outputs, problems);
  if (open && proto.max_batch_size() > 0 && !WhyNotBatchable(inputs, outputs).empty()) {
    return std::unexpected(
        ToStatus({place.At("max_batch_size",
                           "autofill failed for model '" + proto.name() +
                               "': model does not support batching while non-zero max_batch_size is specified")},
                 options.triton_exact));
  }
  const bool defaulted = options.complete && !proto.has_max_batch_size();
  if (defaulted) proto.set_max_batch_size(batching.batches ? options.default_max_batch_size : 0);

  CompleteScheduling(proto, defaulted, options.default_batching);
  if (options.triton_exact) FillAsTriton(proto);

  TensorCompletion input_completion(proto, place, "input", problems);
  if (options.complete && (proto.input_size() == 0 || adds_tensors)) {
    input_completion.Merge(inputs, *proto.mutable_input());
  } else {
    CheckInputCount(proto, inputs, place, problems);
    input_completion.Compare(inputs, *proto.mutable_input());
  }
  TensorCompletion output_completion(proto, place, "output", problems);
  if (options.complete && (proto.output_size() == 0 || adds_tensors)) {
    output_completion.Merge(outputs, *proto.mutable_output());
  } else {
    CheckOutputCount(proto, outputs, place, problems);
    output_completion.Compare(outputs, *proto.mutable_output());
  }
  CheckComplete(proto, place, problems);
  ModelConfig result = Rebuild(std::move(message), options);
  const bool limited = options.default_limits_requests && !options.default_batching.split_large_requests;
  result.batching_decision = std::move(batching);
  result.unacted_fields = std::move(config.unacted_fields);
  result.any_input_name = options.any_input_name && HasUnnamedInput(result);
  result.accepts_larger_requests = defaulted && result.max_batch_size > 0 && !limited;
  for (Problem& problem : FindProblems(*result.document, result.name, result.engine, options.absent_gpus_are_cpus))
    problems.push_back(std::move(problem));
  INFERD_RETURN_IF_ERROR(ToStatus(problems, options.triton_exact));
  return result;
}

base::Status CheckDatatypes(const ModelConfig& config, const CompletionOptions& options) {
  if (config.document == nullptr || config.engine == kEnsembleEngine) return base::OkStatus();
  std::vector<Problem> problems;
  const ModelConfigDocument::Message& message = config.document->message();
  CheckComplete(message.proto, Place(message), problems);
  return ToStatus(problems, options.triton_exact);
}

}  // namespace inferd::config
