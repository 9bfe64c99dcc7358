#include "protocols/oip_http/codec/model_json.h"

#include "data/json/writer.h"
#include "data/tensorjson/write.h"

namespace inferd::oip_http {

namespace {

void WriteTensors(json::Writer& writer, std::string_view key, std::span<const core::TensorSpec> specs) {
  writer.Key(key);
  writer.BeginArray();
  for (const core::TensorSpec& spec : specs) {
    writer.BeginObject();
    tensorjson::WriteTensorHead(writer, spec.name, spec.datatype, core::ShownShape(spec));
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteDuration(json::Writer& writer, std::string_view key, const core::DurationStat& stat) {
  writer.Key(key);
  writer.BeginObject();
  writer.Member("count", stat.count);
  writer.Member("ns", stat.ns);
  writer.EndObject();
}

void WriteBatch(json::Writer& writer, const core::ModelStatistics::Batch& batch) {
  writer.BeginObject();
  writer.Member("batch_size", batch.batch_size);
  WriteDuration(writer, "compute_input", batch.compute_input);
  WriteDuration(writer, "compute_infer", batch.compute_infer);
  WriteDuration(writer, "compute_output", batch.compute_output);
  writer.EndObject();
}

void WriteResponse(json::Writer& writer, const core::ModelStatistics::Response& response) {
  writer.Key(std::to_string(response.index));
  writer.BeginObject();
  WriteDuration(writer, "compute_infer", response.compute_infer);
  WriteDuration(writer, "compute_output", response.compute_output);
  WriteDuration(writer, "success", response.success);
  WriteDuration(writer, "fail", response.fail);
  WriteDuration(writer, "empty_response", response.empty);
  WriteDuration(writer, "cancel", response.cancel);
  writer.EndObject();
}

void WriteStatistics(json::Writer& writer, const core::ModelStatistics& model) {
  writer.BeginObject();
  writer.Member("name", model.name);
  writer.Member("version", model.version);
  writer.Member("last_inference", model.last_inference_ms);
  writer.Member("inference_count", model.inference_count);
  writer.Member("execution_count", model.execution_count);
  writer.Key("inference_stats");
  writer.BeginObject();
  WriteDuration(writer, "success", model.success);
  WriteDuration(writer, "fail", model.fail);
  WriteDuration(writer, "queue", model.queue);
  WriteDuration(writer, "compute_input", model.compute_input);
  WriteDuration(writer, "compute_infer", model.compute_infer);
  WriteDuration(writer, "compute_output", model.compute_output);
  WriteDuration(writer, "cache_hit", model.cache_hit);
  WriteDuration(writer, "cache_miss", model.cache_miss);
  writer.EndObject();
  // Only models with many responses per request have any.
  writer.Key("response_stats");
  writer.BeginObject();
  for (const auto& response : model.responses) WriteResponse(writer, response);
  writer.EndObject();
  writer.Key("batch_stats");
  writer.BeginArray();
  for (const auto& batch : model.batches) WriteBatch(writer, batch);
  writer.EndArray();
  writer.Key("memory_usage");
  writer.BeginArray();
  writer.EndArray();
  writer.EndObject();
}

}  // namespace

std::string ServerMetadataJson(std::string_view name, std::string_view version,
                               std::span<const std::string_view> extensions) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("name", name);
  writer.Member("version", version);
  writer.Key("extensions");
  writer.BeginArray();
  for (const std::string_view extension : extensions) writer.String(extension);
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

std::string ModelMetadataJson(const core::ModelMetadata& metadata) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("name", metadata.name);
  writer.Key("versions");
  writer.BeginArray();
  for (const std::string& version : metadata.versions) writer.String(version);
  writer.EndArray();
  writer.Member("platform", metadata.platform);
  WriteTensors(writer, "inputs", metadata.inputs);
  WriteTensors(writer, "outputs", metadata.outputs);
  if (!metadata.batching.empty()) {
    writer.Key("parameters");
    writer.BeginObject();
    writer.Member("batching", metadata.batching);
    writer.EndObject();
  }
  writer.EndObject();
  return writer.TakeString();
}

std::string StatisticsJson(std::span<const core::ModelStatistics> statistics) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("model_stats");
  writer.BeginArray();
  for (const core::ModelStatistics& model : statistics) WriteStatistics(writer, model);
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

std::string IndexJson(std::span<const core::IndexEntry> entries) {
  json::Writer writer;
  writer.BeginArray();
  for (const core::IndexEntry& entry : entries) {
    writer.BeginObject();
    writer.Member("name", entry.name);
    if (!entry.version.empty()) writer.Member("version", entry.version);
    if (entry.state != core::ModelState::kUnknown) writer.Member("state", core::ModelStateName(entry.state));
    if (!entry.reason.empty()) writer.Member("reason", entry.reason);
    writer.EndObject();
  }
  writer.EndArray();
  return writer.TakeString();
}

}  // namespace inferd::oip_http
