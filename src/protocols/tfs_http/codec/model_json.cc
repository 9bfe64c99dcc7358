#include "protocols/tfs_http/codec/model_json.h"

#include "data/json/writer.h"
#include "protocols/tfs/dtype.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/version_status.h"
#include "protocols/tfs_http/codec/tensor_proto_json.h"

namespace inferd::tfs_http {

namespace {

void WriteReadiness(json::Writer& writer, const Readiness& readiness) {
  writer.Member("name", readiness.name);
  writer.Member("ready", readiness.ready);
}

void WriteTensor(json::Writer& writer, const core::TensorSpec& spec) {
  writer.Key(spec.name);
  writer.BeginObject();
  writer.Member("dtype", tfs::DtypeName(tfs::DtypeOf(spec.datatype)));
  writer.Key("tensor_shape");
  writer.BeginObject();
  writer.Key("dim");
  writer.BeginArray();
  for (const int64_t dim : spec.shape.dims()) {
    writer.BeginObject();
    writer.Member("size", std::to_string(dim));
    writer.Member("name", "");
    writer.EndObject();
  }
  writer.EndArray();
  writer.Member("unknown_rank", spec.unknown_rank);
  writer.EndObject();
  writer.Member("name", tfs::GraphName(spec));
  writer.EndObject();
}

void WriteTensors(json::Writer& writer, std::string_view key, std::span<const core::TensorSpec> specs) {
  writer.Key(key);
  writer.BeginObject();
  for (const core::TensorSpec& spec : specs) WriteTensor(writer, spec);
  writer.EndObject();
}

void WriteSignature(json::Writer& writer, const core::ModelSignature& signature) {
  writer.Key(tfs::SignatureName(signature));
  writer.BeginObject();
  WriteTensors(writer, "inputs", signature.inputs);
  WriteTensors(writer, "outputs", signature.outputs);
  writer.Member("method_name", tfs::MethodName(signature));
  writer.Key("defaults");
  writer.BeginObject();
  for (const core::TensorSpec& input : signature.inputs) {
    if (input.default_value.empty()) continue;
    writer.Key(input.name);
    WriteTensorProto(writer, input.default_value);
  }
  writer.EndObject();
  writer.EndObject();
}

}  // namespace

std::string StatusJson(std::span<const core::IndexEntry> versions, const Readiness* readiness) {
  json::Writer writer;
  writer.BeginObject();
  if (readiness != nullptr) WriteReadiness(writer, *readiness);
  writer.Key("model_version_status");
  writer.BeginArray();
  for (const core::IndexEntry& entry : versions) {
    const tfs::VersionStatus status = tfs::StatusOf(entry);
    writer.BeginObject();
    writer.Member("version", entry.version);
    writer.Member("state", tfs::VersionStateName(status.state));
    writer.Key("status");
    writer.BeginObject();
    writer.Member("error_code", base::StatusCodeName(status.error.code()));
    writer.Member("error_message", status.error.message());
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return writer.TakeString();
}

std::string ReadinessJson(const Readiness& readiness) {
  json::Writer writer;
  writer.BeginObject();
  WriteReadiness(writer, readiness);
  writer.EndObject();
  return writer.TakeString();
}

std::string MetadataJson(std::string_view model, std::string_view version,
                         std::span<const core::ModelSignature* const> signatures) {
  json::Writer writer;
  writer.BeginObject();
  writer.Key("model_spec");
  writer.BeginObject();
  writer.Member("name", model);
  writer.Member("signature_name", "");
  writer.Member("version", version);
  writer.EndObject();
  writer.Key("metadata");
  writer.BeginObject();
  writer.Key("signature_def");
  writer.BeginObject();
  writer.Key("signature_def");
  writer.BeginObject();
  for (const core::ModelSignature* signature : signatures) WriteSignature(writer, *signature);
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::tfs_http
