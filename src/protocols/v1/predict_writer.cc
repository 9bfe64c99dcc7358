#include "protocols/v1/predict_writer.h"

#include <boost/container/small_vector.hpp>
#include <string>
#include <utility>

#include "data/json/writer.h"
#include "data/tensorjson/nested_parser.h"
#include "data/tensorjson/nested_writer.h"

namespace inferd::v1 {

namespace {

using tensorjson::NestedWriter;
using Writers = boost::container::small_vector<NestedWriter, 2>;

// Bytes of text per byte of tensor: an FP32 has 4 bytes and about 12 characters.
constexpr size_t kTextPerByte = 3;
constexpr size_t kTextPerOutput = 64;

base::Status InOutput(const core::InferTensor& output, const base::Status& status) {
  return status.ok() ? base::OkStatus() : status.WithContext("output '" + output.name + "'");
}

using Outputs = std::span<const core::InferTensor>;

base::Result<Writers> MakeWriters(Outputs outputs) {
  if (outputs.empty()) {
    return std::unexpected(base::InvalidArgument("Cannot convert empty tensor map to JSON"));
  }
  Writers writers;
  writers.reserve(outputs.size());
  for (const core::InferTensor& output : outputs) {
    if (!tensor::IsPredictV2(output.datatype)) {
      return std::unexpected(base::InvalidArgument("Failed to write JSON value for tensor type: " +
                                                   std::string(tensorjson::TensorflowTypeName(output.datatype))));
    }
    const bool base64 = output.datatype == tensor::DataType::kBytes && output.name.ends_with("_bytes");
    auto writer = NestedWriter::Create(output.datatype, output.shape, output.data.bytes(), base64);
    if (!writer.has_value()) return std::unexpected(InOutput(output, writer.error()));
    writers.push_back(*std::move(writer));
  }
  return writers;
}

base::Result<int64_t> BatchSize(Outputs outputs) {
  int64_t batch = -1;
  for (const core::InferTensor& output : outputs) {
    if (output.shape.rank() == 0) {
      return std::unexpected(base::InvalidArgument("Tensor name: " + output.name + " has no shape information "));
    }
    const int64_t size = output.shape[0];
    if (batch >= 0 && size != batch) {
      return std::unexpected(base::InvalidArgument("Tensor name: " + output.name + " has inconsistent batch size: " +
                                                   std::to_string(size) + " expecting: " + std::to_string(batch)));
    }
    batch = size;
  }
  return batch;
}

base::Status WriteRows(json::Writer& json, Outputs outputs, Writers& writers, int64_t batch) {
  if (writers.size() == 1) return InOutput(outputs[0], writers[0].WriteAll(json));
  json.BeginArray();
  for (int64_t row = 0; row < batch; ++row) {
    json.BeginObject();
    for (size_t i = 0; i < writers.size(); ++i) {
      json.Key(outputs[i].name);
      INFERD_RETURN_IF_ERROR(InOutput(outputs[i], writers[i].WriteNext(json)));
    }
    json.EndObject();
  }
  json.EndArray();
  return {};
}

base::Status WriteColumns(json::Writer& json, Outputs outputs, Writers& writers) {
  if (writers.size() == 1) return InOutput(outputs[0], writers[0].WriteAll(json));
  json.BeginObject();
  for (size_t i = 0; i < writers.size(); ++i) {
    json.Key(outputs[i].name);
    INFERD_RETURN_IF_ERROR(InOutput(outputs[i], writers[i].WriteAll(json)));
  }
  json.EndObject();
  return {};
}

}  // namespace

size_t EstimateText(const core::InferResponse& response) {
  size_t bytes = kTextPerOutput;
  for (const core::InferTensor& output : response.outputs) {
    bytes += kTextPerOutput + output.name.size() + output.data.size() * kTextPerByte;
  }
  return bytes;
}

base::Status WriteOutputs(json::Writer& json, std::string_view key, Outputs outputs, Layout layout) {
  INFERD_ASSIGN_OR_RETURN(Writers writers, MakeWriters(outputs));
  json.Key(key);
  if (layout == Layout::kColumns) return WriteColumns(json, outputs, writers);
  const base::Result<int64_t> batch = BatchSize(outputs);
  if (batch.has_value()) return WriteRows(json, outputs, writers, *batch);
  return layout == Layout::kRowsIfAny ? WriteColumns(json, outputs, writers) : batch.error();
}

net::HttpResponse JsonAnswer(json::Writer&& json) {
  net::HttpResponse http;
  http.content_type = "application/json";
  http.body = json.Take();
  return http;
}

base::Result<net::HttpResponse> WritePredictions(const core::InferResponse& response, bool row) {
  json::Writer json(EstimateText(response));
  json.BeginObject();
  INFERD_RETURN_IF_ERROR(row ? WriteOutputs(json, "predictions", response.outputs, Layout::kRows)
                             : WriteOutputs(json, "outputs", response.outputs, Layout::kColumns));
  json.EndObject();
  return JsonAnswer(std::move(json));
}

}  // namespace inferd::v1
