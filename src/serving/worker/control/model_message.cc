#include "serving/worker/control/model_message.h"

#include <bit>

#include "config/model/model_config_document.h"
#include "config/model/model_config_parser.h"

namespace inferd::worker {

namespace {

constexpr size_t kAlignmentMax = 4096;
constexpr size_t kSpecBytesMin = 5 * sizeof(uint64_t) + sizeof(int32_t) + 9 * sizeof(uint8_t);
constexpr size_t kDescriptionBytesMin = 7 * sizeof(uint64_t) + sizeof(uint8_t) + sizeof(int32_t);

base::Status Garbled(std::string_view what) {
  return base::Internal("a worker process and its server do not understand each other: " + std::string(what) +
                        " cannot be read");
}

void AddSpecs(MessageWriter& writer, const std::vector<core::TensorSpec>& specs) {
  writer.Add(static_cast<uint64_t>(specs.size()));
  for (const core::TensorSpec& spec : specs) {
    writer.AddText(spec.name);
    writer.Add(static_cast<int32_t>(spec.datatype));
    writer.AddShape(spec.shape);
    writer.Add(static_cast<uint8_t>(spec.optional));
    writer.Add(static_cast<uint8_t>(spec.any_shape));
    writer.AddText(spec.graph_name);
    writer.Add(static_cast<uint8_t>(spec.unknown_rank));
    writer.Add(static_cast<uint8_t>(spec.may_be_missing));
    writer.Add(static_cast<uint8_t>(spec.unchecked));
    writer.AddText(spec.default_value);
    writer.Add(static_cast<uint64_t>(spec.labels.size()));
    for (const std::string& label : spec.labels) writer.AddText(label);
    writer.Add(static_cast<uint8_t>(!spec.dimension_names.empty()));
    for (const std::string& name : spec.dimension_names) writer.AddText(name);
    writer.Add(static_cast<uint8_t>(spec.any_datatype));
    writer.Add(static_cast<uint8_t>(spec.alternative));
    writer.Add(static_cast<uint8_t>(spec.carries_body));
  }
}

// If `only_shown`, tensors may have no datatype.
void TakeSpecs(MessageReader& reader, bool only_shown, std::vector<core::TensorSpec>& specs) {
  const size_t count = reader.TakeCount(kSpecBytesMin);
  for (size_t i = 0; reader.ok() && i < count; ++i) {
    core::TensorSpec& spec = specs.emplace_back();
    spec.name = std::string(reader.TakeText());
    const auto datatype = reader.Take<int32_t>();
    const auto first = static_cast<int32_t>(only_shown ? tensor::DataType::kInvalid : tensor::DataType::kBool);
    if (datatype < first || datatype > static_cast<int32_t>(tensor::kLastDataType)) {
      reader.Refuse();
    }
    spec.datatype = static_cast<tensor::DataType>(datatype);
    spec.shape = reader.TakeShape(-1);
    spec.optional = reader.TakeBool();
    spec.any_shape = reader.TakeBool();
    spec.graph_name = std::string(reader.TakeText());
    spec.unknown_rank = reader.TakeBool();
    spec.may_be_missing = reader.TakeBool();
    spec.unchecked = reader.TakeBool();
    spec.default_value = std::string(reader.TakeText());
    const size_t labels = reader.TakeCount(sizeof(uint64_t));
    for (size_t label = 0; reader.ok() && label < labels; ++label) spec.labels.emplace_back(reader.TakeText());
    const size_t names = reader.TakeBool() ? spec.shape.rank() : 0;
    for (size_t d = 0; reader.ok() && d < names; ++d) spec.dimension_names.emplace_back(reader.TakeText());
    spec.any_datatype = reader.TakeBool();
    spec.alternative = reader.TakeBool();
    spec.carries_body = reader.TakeBool();
  }
}

void AddCompleted(MessageWriter& writer, const config::CompletedByModel& completed) {
  writer.Add(completed.max_batch_size);
  writer.Add(static_cast<uint8_t>(completed.dynamic_batching));
  writer.Add(static_cast<uint8_t>(completed.tensors));
  writer.Add(static_cast<uint8_t>(completed.decoupled.has_value()));
  writer.Add(static_cast<uint8_t>(completed.decoupled.value_or(false)));
}

config::CompletedByModel TakeCompleted(MessageReader& reader) {
  config::CompletedByModel completed;
  completed.max_batch_size = reader.Take<int32_t>();
  if (completed.max_batch_size < 0) reader.Refuse();
  completed.dynamic_batching = reader.TakeBool();
  completed.tensors = reader.TakeBool();
  const bool has_policy = reader.TakeBool();
  const bool decoupled = reader.TakeBool();
  if (has_policy) completed.decoupled = decoupled;
  return completed;
}

void AddDescription(MessageWriter& writer, const ModelDescription& description) {
  const core::ModelSignature& signature = description.signature;
  writer.AddText(signature.name);
  writer.AddText(signature.method_name);
  writer.Add(static_cast<uint8_t>(signature.only_shown));
  writer.AddText(signature.not_served);
  AddSpecs(writer, signature.inputs);
  AddSpecs(writer, signature.outputs);
  writer.Add(signature.max_batch_size);
  writer.Add(static_cast<uint8_t>(signature.decoupled));
  writer.Add(static_cast<uint8_t>(signature.sequences));
  for (const ModelDescription::Input& input : description.inputs) {
    writer.Add(static_cast<uint64_t>(input.alignment));
    writer.Add(static_cast<uint8_t>(input.one_piece));
  }
  writer.Add(static_cast<uint64_t>(description.significant_parameters.size()));
  for (const std::string& name : description.significant_parameters) writer.AddText(name);
  writer.Add(static_cast<int32_t>(description.compute_threads));
  writer.Add(static_cast<int32_t>(description.unfinished_executions_max));
  AddCompleted(writer, description.completed);
  writer.Add(static_cast<uint8_t>(description.checks_readiness));
}

ModelDescription TakeDescription(MessageReader& reader) {
  ModelDescription description;
  core::ModelSignature& signature = description.signature;
  signature.name = std::string(reader.TakeText());
  signature.method_name = std::string(reader.TakeText());
  signature.only_shown = reader.TakeBool();
  signature.not_served = std::string(reader.TakeText());
  TakeSpecs(reader, signature.only_shown, signature.inputs);
  TakeSpecs(reader, signature.only_shown, signature.outputs);
  signature.max_batch_size = reader.Take<int64_t>();
  signature.decoupled = reader.TakeBool();
  signature.sequences = reader.TakeBool();
  for (size_t i = 0; reader.ok() && i < signature.inputs.size(); ++i) {
    ModelDescription::Input& input = description.inputs.emplace_back();
    input.alignment = reader.Take<uint64_t>();
    input.one_piece = reader.TakeBool();
    if (!std::has_single_bit(input.alignment) || input.alignment > kAlignmentMax) reader.Refuse();
  }
  const size_t parameters = reader.TakeCount(sizeof(uint64_t));
  for (size_t i = 0; reader.ok() && i < parameters; ++i) {
    description.significant_parameters.emplace_back(reader.TakeText());
  }
  description.compute_threads = reader.Take<int32_t>();
  if (description.compute_threads < 0) reader.Refuse();
  description.unfinished_executions_max = reader.Take<int32_t>();
  if (description.unfinished_executions_max < 1 || description.unfinished_executions_max > kChannelsMax) {
    reader.Refuse();
  }
  description.completed = TakeCompleted(reader);
  description.checks_readiness = reader.TakeBool();
  return description;
}

base::Status SetKinds(const std::vector<uint8_t>& kinds, config::ModelConfig& config) {
  if (kinds.size() != config.instance_groups.size()) return Garbled("what to load");
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] > static_cast<uint8_t>(config::InstanceKind::kModel)) return Garbled("what to load");
    config.instance_groups[i].kind = static_cast<config::InstanceKind>(kinds[i]);
  }
  return {};
}

}  // namespace

std::string EncodeStartOrder(const StartOrder& order) {
  MessageWriter writer;
  writer.AddText(order.engine_library.native());
  writer.Add(static_cast<int32_t>(order.process_cpu_threads));
  writer.Add(static_cast<uint8_t>(order.log_format));
  for (const bool enabled : order.log_levels) writer.Add(static_cast<uint8_t>(enabled));
  writer.AddText(base::FormatCpuCores(order.cores));
  writer.Add(order.pinned_pool_bytes);
  writer.Add(static_cast<uint8_t>(order.core_files));
  return std::string(writer.text());
}

base::Result<StartOrder> DecodeStartOrder(std::string_view message) {
  MessageReader reader(message);
  StartOrder order;
  order.engine_library = std::string(reader.TakeText());
  order.process_cpu_threads = reader.Take<int32_t>();
  order.log_format = static_cast<base::LogFormat>(reader.Take<uint8_t>());
  for (bool& enabled : order.log_levels) enabled = reader.TakeBool();
  auto cores = base::ParseCpuCores(reader.TakeText());
  order.pinned_pool_bytes = reader.Take<uint64_t>();
  order.core_files = reader.TakeBool();
  if (!reader.Finished() || !cores.has_value()) return std::unexpected(Garbled("what to start"));
  order.cores = *std::move(cores);
  return order;
}

std::string EncodeLoadOrder(const core::LoadSpec& load) {
  MessageWriter writer;
  writer.AddText(load.model_name);
  writer.Add(load.version);
  writer.AddText(load.model_dir.native());
  writer.AddText(load.version_dir.native());
  writer.AddText(load.model_file.native());
  writer.AddText(load.config->document == nullptr ? "" : load.config->document->ToPbtxt());
  // The groups' kinds may differ from the document.
  writer.Add(static_cast<uint64_t>(load.config->instance_groups.size()));
  for (const config::InstanceGroup& group : load.config->instance_groups) writer.Add(static_cast<uint8_t>(group.kind));
  writer.Add(static_cast<int32_t>(load.cpu_threads));
  writer.Add(static_cast<uint64_t>(load.group_cores.size()));
  for (const base::CpuCores& cores : load.group_cores) writer.AddText(base::FormatCpuCores(cores));
  writer.Add(static_cast<uint8_t>(load.unchecked_outputs));
  return std::string(writer.text());
}

base::Result<core::LoadSpec> DecodeLoadOrder(std::string_view message) {
  MessageReader reader(message);
  core::LoadSpec load;
  load.model_name = std::string(reader.TakeText());
  load.version = reader.Take<int64_t>();
  load.model_dir = std::string(reader.TakeText());
  load.version_dir = std::string(reader.TakeText());
  load.model_file = std::string(reader.TakeText());
  const std::string_view config = reader.TakeText();
  std::vector<uint8_t> kinds(reader.TakeCount(sizeof(uint8_t)));
  for (uint8_t& kind : kinds) kind = reader.Take<uint8_t>();
  load.cpu_threads = reader.Take<int32_t>();
  const size_t groups = reader.TakeCount(sizeof(uint64_t));
  for (size_t i = 0; reader.ok() && i < groups; ++i) {
    auto cores = base::ParseCpuCores(reader.TakeText());
    if (!cores.has_value()) return std::unexpected(Garbled("what to load"));
    load.group_cores.push_back(*std::move(cores));
  }
  load.unchecked_outputs = reader.TakeBool();
  if (!reader.Finished()) return std::unexpected(Garbled("what to load"));
  INFERD_ASSIGN_OR_RETURN(config::ModelConfig parsed, config::ParseModelConfig(config, "config.pbtxt"));
  INFERD_RETURN_IF_ERROR(SetKinds(kinds, parsed));
  load.config = std::make_shared<const config::ModelConfig>(std::move(parsed));
  return load;
}

std::string EncodeDescriptions(const std::vector<ModelDescription>& descriptions) {
  MessageWriter writer;
  writer.Add(static_cast<uint64_t>(descriptions.size()));
  for (const ModelDescription& description : descriptions) AddDescription(writer, description);
  return std::string(writer.text());
}

base::Result<std::vector<ModelDescription>> DecodeDescriptions(std::string_view message) {
  MessageReader reader(message);
  std::vector<ModelDescription> descriptions;
  const size_t count = reader.TakeCount(kDescriptionBytesMin);
  for (size_t i = 0; reader.ok() && i < count; ++i) descriptions.push_back(TakeDescription(reader));
  if (!reader.Finished() || descriptions.empty()) return std::unexpected(Garbled("what a model takes"));
  return descriptions;
}

std::string EncodeInstanceOrder(const InstanceOrder& order) {
  MessageWriter writer;
  writer.Add(static_cast<uint64_t>(order.signature));
  writer.Add(order.channel);
  writer.Add(static_cast<int32_t>(order.spec.group));
  writer.Add(static_cast<int32_t>(order.spec.ordinal));
  writer.Add(static_cast<uint8_t>(order.spec.kind));
  writer.Add(order.spec.device);
  writer.AddText(order.spec.name);
  writer.Add(static_cast<uint8_t>(order.further));
  writer.Add(order.removed);
  return std::string(writer.text());
}

base::Result<InstanceOrder> DecodeInstanceOrder(std::string_view message) {
  MessageReader reader(message);
  InstanceOrder order;
  order.signature = reader.Take<uint64_t>();
  order.channel = reader.Take<uint64_t>();
  order.spec.group = reader.Take<int32_t>();
  order.spec.ordinal = reader.Take<int32_t>();
  const auto kind = reader.Take<uint8_t>();
  order.spec.kind = static_cast<config::InstanceKind>(kind);
  order.spec.device = reader.Take<int32_t>();
  order.spec.name = reader.TakeText();
  order.further = reader.TakeBool();
  order.removed = reader.Take<uint32_t>();
  if (!reader.Finished() || kind > static_cast<uint8_t>(config::InstanceKind::kModel))
    return std::unexpected(Garbled("what an instance is"));
  return order;
}

std::string EncodeReply(const base::Status& status, std::string_view content) {
  MessageWriter writer;
  writer.Add(static_cast<int32_t>(status.code()));
  writer.AddText(status.message());
  writer.AddText(content);
  return std::string(writer.text());
}

base::Result<std::string> DecodeReply(std::string_view message) {
  MessageReader reader(message);
  const auto code = reader.Take<int32_t>();
  std::string why(reader.TakeText());
  std::string content(reader.TakeText());
  const bool known = code >= 0 && code <= static_cast<int32_t>(base::StatusCode::kUnauthenticated);
  if (!reader.Finished() || !known) return std::unexpected(Garbled("an answer"));
  if (code != 0) return std::unexpected(base::Status(static_cast<base::StatusCode>(code), std::move(why)));
  return content;
}

base::Result<std::string> Order(ControlSocket& socket, std::string_view text, int descriptor,
                                ControlSocket::Clock::time_point deadline) {
  INFERD_RETURN_IF_ERROR(socket.Send(text, descriptor));
  INFERD_ASSIGN_OR_RETURN(const ControlMessage reply, socket.Receive(deadline, ControlSocket::kReplyBytesMax));
  return DecodeReply(reply.text);
}

}  // namespace inferd::worker
