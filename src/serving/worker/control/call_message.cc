#include "serving/worker/control/call_message.h"

#include <utility>

namespace inferd::worker {

namespace {

constexpr size_t kCallTensorBytesMin = 3 * sizeof(uint64_t) + sizeof(int32_t);

base::Status Garbled() {
  return base::Internal("a worker process and its server do not understand each other: a call cannot be read");
}

void AddTensors(MessageWriter& writer, std::span<const core::InferTensor> tensors) {
  writer.Add(static_cast<uint64_t>(tensors.size()));
  for (const core::InferTensor& tensor : tensors) {
    writer.AddText(tensor.name);
    writer.Add(static_cast<int32_t>(tensor.datatype));
    writer.AddShape(tensor.shape);
    writer.AddText({reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()});
  }
}

template <typename Tensors>
void TakeTensors(MessageReader& reader, Tensors& tensors) {
  const size_t count = reader.TakeCount(kCallTensorBytesMin);
  for (size_t i = 0; reader.ok() && i < count; ++i) {
    core::InferTensor tensor;
    tensor.name = std::string(reader.TakeText());
    const auto datatype = reader.Take<int32_t>();
    if (datatype < 0 || datatype > static_cast<int32_t>(tensor::kLastDataType)) reader.Refuse();
    tensor.datatype = static_cast<tensor::DataType>(datatype);
    tensor.shape = reader.TakeShape(0);
    tensor.data = base::BufferSlice(base::Buffer::CopyOf(reader.TakeText()));
    tensors.push_back(std::move(tensor));
  }
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

void AddPairs(MessageWriter& writer, const Pairs& pairs) {
  writer.Add(static_cast<uint64_t>(pairs.size()));
  for (const auto& [key, value] : pairs) {
    writer.AddText(key);
    writer.AddText(value);
  }
}

void TakePairs(MessageReader& reader, Pairs& pairs) {
  const size_t count = reader.TakeCount(2 * sizeof(uint64_t));
  for (size_t i = 0; reader.ok() && i < count; ++i) {
    std::string key(reader.TakeText());
    pairs.emplace_back(std::move(key), reader.TakeText());
  }
}

// Writes the fields of each kind of order.
struct OrderWriter {
  MessageWriter& writer;

  void operator()(const CallOrder& order) const {
    const core::InferRequest& request = *order.request;
    writer.AddText(order.origin.model);
    writer.Add(order.origin.version);
    writer.Add(order.origin.channel);
    writer.Add(order.origin.execution);
    writer.Add(order.origin.request);
    writer.Add(static_cast<uint8_t>(order.many));
    writer.AddText(request.model_name);
    writer.AddText(request.model_version);
    writer.AddText(request.id);
    writer.AddParameters(request.parameters);
    writer.AddSequence(request.sequence);
    writer.Add(request.priority);
    writer.Add(request.timeout_us);
    AddTensors(writer, request.inputs);
    writer.Add(static_cast<uint64_t>(request.outputs.size()));
    for (const core::RequestedOutput& output : request.outputs) writer.AddText(output.name);
  }
  void operator()(const CancelOrder&) const {}
  void operator()(const TakenOrder&) const {}
  void operator()(const CloseMetricOrder&) const {}
  void operator()(const ReadyOrder& order) const {
    writer.AddText(order.model);
    writer.AddText(order.version);
  }
  void operator()(const core::LoadCall& call) const {
    writer.AddText(call.model);
    writer.AddText(call.config_json);
    AddPairs(writer, call.files);
  }
  void operator()(const core::UnloadCall& call) const {
    writer.AddText(call.model);
    writer.Add(static_cast<uint8_t>(call.unload_dependents));
  }
  void operator()(const OpenMetricOrder& order) const {
    writer.Add(static_cast<int32_t>(order.spec.kind));
    writer.AddText(order.spec.name);
    writer.AddText(order.spec.help);
    writer.Add(static_cast<uint8_t>(order.spec.series));
    AddPairs(writer, order.spec.labels);
    writer.Add(static_cast<uint64_t>(order.spec.bounds.size()));
    for (const double bound : order.spec.bounds) writer.Add(bound);
  }
  void operator()(const ChangeMetricOrder& order) const {
    writer.Add(order.metric);
    writer.Add(static_cast<int32_t>(order.change));
    writer.Add(order.value);
  }
};

// Reads the fields of each kind of order.
struct OrderReader {
  MessageReader& reader;

  void operator()(CallOrder& order) const {
    order.origin.model = std::string(reader.TakeText());
    order.origin.version = reader.Take<int64_t>();
    order.origin.channel = reader.Take<uint64_t>();
    order.origin.execution = reader.Take<uint32_t>();
    order.origin.request = reader.Take<uint64_t>();
    order.many = reader.TakeBool();
    order.request = std::make_unique<core::InferRequest>();
    core::InferRequest& request = *order.request;
    request.model_name = std::string(reader.TakeText());
    request.model_version = std::string(reader.TakeText());
    request.id = std::string(reader.TakeText());
    request.parameters = reader.TakeParameters();
    request.sequence = reader.TakeSequence();
    request.priority = reader.Take<uint64_t>();
    request.timeout_us = reader.Take<uint64_t>();
    TakeTensors(reader, request.inputs);
    const size_t outputs = reader.TakeCount(sizeof(uint64_t));
    for (size_t i = 0; reader.ok() && i < outputs; ++i) {
      request.outputs.push_back({.name = std::string(reader.TakeText())});
    }
  }
  void operator()(CancelOrder&) const {}
  void operator()(TakenOrder&) const {}
  void operator()(CloseMetricOrder&) const {}
  void operator()(ReadyOrder& order) const {
    order.model = std::string(reader.TakeText());
    order.version = std::string(reader.TakeText());
  }
  void operator()(core::LoadCall& call) const {
    call.model = std::string(reader.TakeText());
    call.config_json = std::string(reader.TakeText());
    TakePairs(reader, call.files);
  }
  void operator()(core::UnloadCall& call) const {
    call.model = std::string(reader.TakeText());
    call.unload_dependents = reader.TakeBool();
  }
  void operator()(OpenMetricOrder& order) const {
    const auto kind = reader.Take<int32_t>();
    if (kind < 0 || kind > static_cast<int32_t>(core::CustomMetricSpec::Kind::kHistogram)) reader.Refuse();
    order.spec.kind = static_cast<core::CustomMetricSpec::Kind>(kind);
    order.spec.name = std::string(reader.TakeText());
    order.spec.help = std::string(reader.TakeText());
    order.spec.series = reader.TakeBool();
    TakePairs(reader, order.spec.labels);
    const size_t bounds = reader.TakeCount(sizeof(double));
    for (size_t i = 0; i < bounds; ++i) order.spec.bounds.push_back(reader.Take<double>());
  }
  void operator()(ChangeMetricOrder& order) const {
    order.metric = reader.Take<uint64_t>();
    const auto change = reader.Take<int32_t>();
    if (change < 0 || change > static_cast<int32_t>(core::CustomMetric::Change::kObserve)) reader.Refuse();
    order.change = static_cast<core::CustomMetric::Change>(change);
    order.value = reader.Take<double>();
  }
};

template <size_t kKind = 0>
void Choose(size_t kind, decltype(ServerOrder::order)& order) {
  if constexpr (kKind < std::variant_size_v<decltype(ServerOrder::order)>) {
    if (kind == kKind) {
      order.emplace<kKind>();
    } else {
      Choose<kKind + 1>(kind, order);
    }
  }
}

}  // namespace

std::string EncodeServerOrder(const ServerOrder& order) {
  MessageWriter writer;
  writer.Add(order.number);
  writer.Add(static_cast<uint32_t>(order.order.index()));
  std::visit(OrderWriter{writer}, order.order);
  return std::string(writer.text());
}

base::Result<ServerOrder> DecodeServerOrder(std::string_view message) {
  MessageReader reader(message);
  ServerOrder order;
  order.number = reader.Take<uint64_t>();
  const auto kind = reader.Take<uint32_t>();
  if (!reader.ok() || kind >= std::variant_size_v<decltype(order.order)>) return std::unexpected(Garbled());
  Choose(kind, order.order);
  std::visit(OrderReader{reader}, order.order);
  if (!reader.Finished()) return std::unexpected(Garbled());
  return order;
}

std::string EncodeServerReply(const ServerReply& reply) {
  const core::InferResponse& response = reply.response;
  MessageWriter writer;
  writer.Add(reply.number);
  writer.Add(static_cast<uint8_t>(reply.submitted));
  writer.Add(reply.value);
  writer.Add(static_cast<int32_t>(response.status.code()));
  writer.AddText(response.status.message());
  writer.Add(static_cast<uint8_t>(response.final));
  writer.AddParameters(response.parameters);
  AddTensors(writer, response.outputs);
  return std::string(writer.text());
}

base::Result<ServerReply> DecodeServerReply(std::string_view message) {
  MessageReader reader(message);
  ServerReply reply;
  reply.number = reader.Take<uint64_t>();
  reply.submitted = reader.TakeBool();
  reply.value = reader.Take<double>();
  const auto code = reader.Take<int32_t>();
  if (code < 0 || code > static_cast<int32_t>(base::StatusCode::kUnauthenticated)) reader.Refuse();
  reply.response.status = base::Status(static_cast<base::StatusCode>(code), std::string(reader.TakeText()));
  reply.response.final = reader.TakeBool();
  reply.response.parameters = reader.TakeParameters();
  TakeTensors(reader, reply.response.outputs);
  if (!reader.Finished()) return std::unexpected(Garbled());
  return reply;
}

}  // namespace inferd::worker
