#include "protocols/oip_http/codec/infer_response_writer.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/json/writer.h"
#include "data/tensorjson/write.h"
#include "net/compression/compression.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/carried_types.h"

namespace inferd::oip_http {

namespace {

using core::InferTensor;

// Bytes of text per byte of tensor: an FP32 has 4 bytes and about 12 characters.
constexpr size_t kJsonPerByte = 3;
constexpr size_t kJsonPerOutput = 128;

void WriteOutputParameters(json::Writer& writer, const InferTensor& output, const v2::OutputSettings& form) {
  const bool base64 = form.base64 && !form.binary && output.datatype == tensor::DataType::kBytes;
  if (output.parameters.empty() && !form.binary && !base64) return;
  writer.Key("parameters");
  writer.BeginObject();
  for (const auto& [name, value] : output.parameters) {
    if (name == "binary_data_size" || (base64 && name == "content_type")) continue;
    writer.Key(name);
    WriteParameterValue(writer, value);
  }
  if (form.binary) {
    writer.Member("binary_data_size", output.data.size());
  }
  if (base64) {
    writer.Member("content_type", "base64");
  }
  writer.EndObject();
}

base::Status WriteOutput(json::Writer& writer, const InferTensor& output, const v2::OutputSettings& form,
                         const Options& options) {
  writer.BeginObject();
  tensorjson::WriteTensorHead(writer, output.name, output.datatype, output.shape);
  WriteOutputParameters(writer, output, form);
  if (!form.binary && !form.region) {
    writer.Key("data");
    const base::Status status = tensorjson::WriteData(writer, output.datatype, output.shape, output.data.bytes(),
                                                      {.nonfinite = options.nonfinite, .base64 = form.base64});
    if (!status.ok()) return status.WithContext("output '" + output.name + "'");
  }
  writer.EndObject();
  return {};
}

}  // namespace

ResponseSize EstimateSize(const core::InferResponse& response, const v2::OutputForms& forms) {
  ResponseSize size{.json_bytes = kJsonPerOutput, .binary_bytes = 0};
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    const size_t bytes = response.outputs[i].data.size();
    size.json_bytes += kJsonPerOutput;
    if (forms.of(i).region) continue;
    if (forms.of(i).binary) {
      size.binary_bytes += bytes;
    } else {
      size.json_bytes += bytes * kJsonPerByte;
    }
  }
  return size;
}

base::Result<net::HttpResponse> WriteInferResponse(core::InferResponse&& response, const v2::OutputForms& requested,
                                                   const core::ModelSignature& signature, const Options& options) {
  INFERD_RETURN_IF_ERROR(v2::CheckCarried(response));
  std::optional<v2::OutputForms> own;
  const v2::OutputForms& forms = v2::FormsFor(response, requested, own);
  INFERD_RETURN_IF_ERROR(v2::ClassifyOutputs(response, forms, signature));
  json::Writer writer(EstimateSize(response, forms).json_bytes);
  writer.BeginObject();
  writer.Member("model_name", response.model_name);
  writer.Member("model_version", response.model_version);
  if (!response.id.empty()) {
    writer.Member("id", response.id);
  }
  if (!response.parameters.empty()) {
    writer.Key("parameters");
    WriteParameters(writer, response.parameters);
  }
  writer.Key("outputs");
  writer.BeginArray();
  bool binary = false;
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    INFERD_RETURN_IF_ERROR(WriteOutput(writer, response.outputs[i], forms.of(i), options));
    binary = binary || forms.of(i).binary;
  }
  writer.EndArray();
  writer.EndObject();

  net::HttpResponse http;
  http.content_type = binary ? "application/octet-stream" : "application/json";
  if (binary) http.headers.emplace_back("Inference-Header-Content-Length", std::to_string(writer.size()));
  http.body = writer.Take();
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    if (forms.of(i).binary && !response.outputs[i].data.empty()) {
      http.body.push_back(std::move(response.outputs[i].data));
    }
  }
  return http;
}

base::Status CompressBody(net::HttpResponse& response, net::ContentCoding coding, const Options& options) {
  if (coding == net::ContentCoding::kIdentity) return {};
  size_t bytes = 0;
  for (const base::BufferSlice& piece : response.body) bytes += piece.size();
  if (bytes < options.compress_bytes_min) return {};
  INFERD_ASSIGN_OR_RETURN(base::BufferSlice coded, net::Compress(coding, response.body));
  response.body.clear();
  response.body.push_back(std::move(coded));
  response.headers.emplace_back("Content-Encoding", net::ContentCodingName(coding));
  response.headers.emplace_back("Vary", "Accept-Encoding");
  return {};
}

}  // namespace inferd::oip_http
