#include "frontends/tfs_http/model_json.h"

#include "frontends/tfs_http/model_spec.h"
#include "json/writer.h"

namespace inferd::tfs_http {

namespace {

using tensor::DataType;

std::string_view DtypeName(DataType type) {
  switch (type) {
    case DataType::kBool: return "DT_BOOL";
    case DataType::kUint8: return "DT_UINT8";
    case DataType::kUint16: return "DT_UINT16";
    case DataType::kUint32: return "DT_UINT32";
    case DataType::kUint64: return "DT_UINT64";
    case DataType::kInt8: return "DT_INT8";
    case DataType::kInt16: return "DT_INT16";
    case DataType::kInt32: return "DT_INT32";
    case DataType::kInt64: return "DT_INT64";
    case DataType::kFp16: return "DT_HALF";
    case DataType::kFp32: return "DT_FLOAT";
    case DataType::kFp64: return "DT_DOUBLE";
    case DataType::kBytes: return "DT_STRING";
    case DataType::kBf16: return "DT_BFLOAT16";
    case DataType::kInvalid: break;
  }
  return "DT_INVALID";
}

// A version that ended by itself has no error; one that could not be loaded has.
struct VersionState {
  std::string_view state;
  bool failed = false;
};

VersionState StateOf(const core::IndexEntry& entry) {
  switch (entry.state) {
    case core::ModelState::kReady: return {"AVAILABLE"};
    case core::ModelState::kLoading: return {"LOADING"};
    case core::ModelState::kUnloading: return {"UNLOADING"};
    case core::ModelState::kUnavailable: return {"END", !entry.reason.empty() && entry.reason != "unloaded"};
    case core::ModelState::kUnknown: break;
  }
  return {"START"};
}

void WriteReadiness(json::Writer& writer, const Readiness& readiness) {
  writer.Member("name", readiness.name);
  writer.Member("ready", readiness.ready);
}

void WriteTensor(json::Writer& writer, const core::TensorSpec& spec) {
  writer.Key(spec.name);
  writer.BeginObject();
  writer.Member("dtype", DtypeName(spec.datatype));
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
  writer.Member("unknown_rank", false);
  writer.EndObject();
  writer.Member("name", spec.name);
  writer.EndObject();
}

void WriteTensors(json::Writer& writer, std::string_view key, std::span<const core::TensorSpec> specs) {
  writer.Key(key);
  writer.BeginObject();
  for (const core::TensorSpec& spec : specs) WriteTensor(writer, spec);
  writer.EndObject();
}

void WriteSignature(json::Writer& writer, const core::ModelSignature& signature) {
  writer.Key(kServingDefault);
  writer.BeginObject();
  WriteTensors(writer, "inputs", signature.inputs);
  WriteTensors(writer, "outputs", signature.outputs);
  writer.Member("method_name", "tensorflow/serving/predict");
  writer.Key("defaults");
  writer.BeginObject();
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
    const VersionState state = StateOf(entry);
    writer.BeginObject();
    writer.Member("version", entry.version);
    writer.Member("state", state.state);
    writer.Key("status");
    writer.BeginObject();
    writer.Member("error_code", state.failed ? "UNKNOWN" : "OK");
    writer.Member("error_message", state.failed ? std::string_view(entry.reason) : std::string_view());
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

std::string MetadataJson(std::string_view model, std::string_view version, const core::ModelSignature& signature) {
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
  WriteSignature(writer, signature);
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  return writer.TakeString();
}

}  // namespace inferd::tfs_http
