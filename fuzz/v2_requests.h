#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/base64.h"
#include "data/json/writer.h"
#include "data/tensor/raw.h"
#include "fuzz/require.h"
#include "protocols/oip_http/codec/infer_request_reader.h"
#include "protocols/oip_http/codec/infer_response_writer.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/output_forms.h"
#include "serving/core/request/infer_response.h"

// The shared code of the infer request fuzzers. The same tensors as JSON and as binary must be the same request.

namespace inferd::fuzz {

inline base::BufferSlice SliceOf(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

// Returns a request with the inputs of `request`, each in binary form.
inline std::pair<std::string, std::string> AsBinary(const core::InferRequest& request) {
  json::Writer writer;
  std::string binary;
  writer.BeginObject();
  writer.Key("inputs");
  writer.BeginArray();
  for (const core::InferTensor& input : request.inputs) {
    writer.BeginObject();
    writer.Key("parameters");
    writer.BeginObject();
    writer.Key("binary_data_size");
    writer.Uint(input.data.size());
    writer.EndObject();
    writer.Key("shape");
    writer.BeginArray();
    for (const int64_t dim : input.shape.dims()) writer.Int(dim);
    writer.EndArray();
    writer.Key("datatype");
    writer.String(tensor::DataTypeName(input.datatype));
    writer.Key("name");
    writer.String(input.name);
    writer.EndObject();
    binary += input.data.view();
  }
  writer.EndArray();
  writer.EndObject();
  return {writer.TakeString(), std::move(binary)};
}

inline bool IsFloat(tensor::DataType datatype) {
  using tensor::DataType;
  return datatype == DataType::kFp16 || datatype == DataType::kBf16 || datatype == DataType::kFp32 ||
         datatype == DataType::kFp64;
}

// A NaN's payload does not survive JSON. The test for set exponent bytes is the best approximation without a decoder.
inline bool MayHoldNan(const core::InferTensor& tensor) {
  if (!IsFloat(tensor.datatype)) return false;
  const size_t size = tensor::ElementSize(tensor.datatype);
  for (size_t i = size; i <= tensor.data.size(); i += size) {
    const auto high = std::to_integer<unsigned>(tensor.data.data()[i - 1]) & 0x7f;
    if (high >= 0x7c) return true;
  }
  return false;
}

inline void RequireSame(const core::InferTensor& a, const core::InferTensor& b, std::string_view how) {
  Require(a.name == b.name && a.datatype == b.datatype && a.shape == b.shape, how);
  Require(a.data.view() == b.data.view(), how);
}

// Checks that JSON and binary give the same tensors, and that the writer's output reads back the same.
inline void CheckBothForms(const core::InferRequest& request) {
  const auto [json, binary] = AsBinary(request);
  const auto again = oip_http::ReadInferRequest(SliceOf(json + binary), json.size(), true, "m");
  Require(again.has_value(), "the binary form of an accepted request is refused");
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    RequireSame(request.inputs[i], again->request->inputs[i], "JSON and binary differ");
  }

  core::InferResponse response;
  v2::OutputForms forms;
  forms.default_form.base64 = true;
  for (const core::InferTensor& input : request.inputs) {
    if (MayHoldNan(input)) return;
    response.outputs.push_back(input);
    response.outputs.back().parameters.clear();
  }
  const auto written = oip_http::WriteInferResponse(std::move(response), forms, {}, {});
  Require(written.has_value(), "accepted tensors cannot be written");
  std::string text;
  for (const base::BufferSlice& piece : written->body) text += piece.view();
  const size_t outputs = text.find("\"outputs\"");
  Require(outputs != std::string::npos, "no outputs");
  text.replace(outputs, 9, "\"inputs\"");
  const auto read = oip_http::ReadInferRequest(SliceOf(text), text.size(), false, "m");
  Require(read.has_value(), read.has_value() ? "" : "what was written is refused: " + read.error().message());
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    RequireSame(request.inputs[i], read->request->inputs[i], "what was written reads back differently");
  }
}

}  // namespace inferd::fuzz
