#include "protocols/oip_grpc/codec/model_messages.h"

#include <google/protobuf/util/json_util.h>

#include <string>

namespace inferd::oip_grpc {

namespace {

using TensorMetadata = inference::ModelMetadataResponse::TensorMetadata;

void SetTensor(const core::TensorSpec& spec, TensorMetadata& message) {
  message.set_name(spec.name);
  message.set_datatype(std::string(tensor::DataTypeName(spec.datatype)));
  for (const int64_t dim : core::ShownShape(spec).dims()) message.add_shape(dim);
}

void SetDuration(const core::DurationStat& stat, inference::StatisticDuration& message) {
  message.set_count(stat.count);
  message.set_ns(stat.ns);
}

void SetBatch(const core::ModelStatistics::Batch& batch, inference::InferBatchStatistics& message) {
  message.set_batch_size(batch.batch_size);
  SetDuration(batch.compute_input, *message.mutable_compute_input());
  SetDuration(batch.compute_infer, *message.mutable_compute_infer());
  SetDuration(batch.compute_output, *message.mutable_compute_output());
}

void SetResponse(const core::ModelStatistics::Response& response, inference::InferResponseStatistics& message) {
  SetDuration(response.compute_infer, *message.mutable_compute_infer());
  SetDuration(response.compute_output, *message.mutable_compute_output());
  SetDuration(response.success, *message.mutable_success());
  SetDuration(response.fail, *message.mutable_fail());
  SetDuration(response.empty, *message.mutable_empty_response());
  SetDuration(response.cancel, *message.mutable_cancel());
}

void SetStatistics(const core::ModelStatistics& model, inference::ModelStatistics& message) {
  message.set_name(model.name);
  message.set_version(model.version);
  message.set_last_inference(model.last_inference_ms);
  message.set_inference_count(model.inference_count);
  message.set_execution_count(model.execution_count);
  inference::InferStatistics& phases = *message.mutable_inference_stats();
  SetDuration(model.success, *phases.mutable_success());
  SetDuration(model.fail, *phases.mutable_fail());
  SetDuration(model.queue, *phases.mutable_queue());
  SetDuration(model.compute_input, *phases.mutable_compute_input());
  SetDuration(model.compute_infer, *phases.mutable_compute_infer());
  SetDuration(model.compute_output, *phases.mutable_compute_output());
  SetDuration(model.cache_hit, *phases.mutable_cache_hit());
  SetDuration(model.cache_miss, *phases.mutable_cache_miss());
  for (const auto& batch : model.batches) SetBatch(batch, *message.add_batch_stats());
  for (const auto& response : model.responses) {
    SetResponse(response, (*message.mutable_response_stats())[std::to_string(response.index)]);
  }
}

}  // namespace

inference::ModelMetadataResponse ModelMetadataMessage(const core::ModelMetadata& metadata) {
  inference::ModelMetadataResponse message;
  message.set_name(metadata.name);
  for (const std::string& version : metadata.versions) message.add_versions(version);
  message.set_platform(metadata.platform);
  for (const core::TensorSpec& spec : metadata.inputs) SetTensor(spec, *message.add_inputs());
  for (const core::TensorSpec& spec : metadata.outputs) SetTensor(spec, *message.add_outputs());
  if (!metadata.batching.empty()) (*message.mutable_parameters())["batching"].set_string_param(metadata.batching);
  for (const auto& [name, value] : metadata.parameters) (*message.mutable_parameters())[name].set_string_param(value);
  return message;
}

base::Result<inference::ModelConfigResponse> ModelConfigMessage(std::string_view json) {
  inference::ModelConfigResponse message;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, message.mutable_config());
  if (status.ok()) return message;
  return std::unexpected(base::Internal("the configuration is no ModelConfig: " + std::string(status.message())));
}

inference::ModelStatisticsResponse StatisticsMessage(std::span<const core::ModelStatistics> statistics) {
  inference::ModelStatisticsResponse message;
  for (const core::ModelStatistics& model : statistics) SetStatistics(model, *message.add_model_stats());
  return message;
}

inference::RepositoryIndexResponse IndexMessage(std::span<const core::IndexEntry> entries) {
  inference::RepositoryIndexResponse message;
  for (const core::IndexEntry& entry : entries) {
    auto& model = *message.add_models();
    model.set_name(entry.name);
    model.set_version(entry.version);
    if (entry.state != core::ModelState::kUnknown) model.set_state(std::string(core::ModelStateName(entry.state)));
    model.set_reason(entry.reason);
  }
  return message;
}

}  // namespace inferd::oip_grpc
