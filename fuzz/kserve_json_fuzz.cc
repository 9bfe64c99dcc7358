// Fuzzes bodies of KServe V1's :predict, plain and in structured CloudEvents, against a strict DOM (Boost.JSON). An
// accepted body must be JSON, and its tensors must fit their shapes. Rows that TensorFlow Serving's dialect accepts
// must be the same request here. The answer to an event must be JSON, too. Input: a byte that selects the form and the
// model, then the body.

#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "data/tensor/raw.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"
#include "protocols/kserve_v1/codec/cloud_event.h"
#include "protocols/v1/predict_reader.h"
#include "protocols/v1/predict_writer.h"

namespace inferd::fuzz {
namespace {

using tensor::DataType;

constexpr size_t kDepthMax = 64;
constexpr v1::BodyRules kRules = {.dialect = v1::Dialect::kKserve, .depth_max = kDepthMax};

core::ModelSignature Signature(uint8_t choice) {
  constexpr DataType kTypes[] = {DataType::kBool,  DataType::kUint8, DataType::kUint64, DataType::kInt8,
                                 DataType::kInt64, DataType::kFp16,  DataType::kFp32,   DataType::kBytes};
  constexpr uint8_t kCount = sizeof kTypes / sizeof kTypes[0];
  choice %= kCount + 2;
  if (choice < kCount) return {.inputs = {{.name = "x", .datatype = kTypes[choice], .shape = {-1}}}, .outputs = {}};
  if (choice == kCount) return {};
  return {.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2}},
                     {.name = "n", .datatype = DataType::kBytes, .shape = {-1}},
                     {.name = "o", .datatype = DataType::kInt64, .shape = {-1}, .optional = true}},
          .outputs = {}};
}

void CheckSame(const core::InferRequest& a, const core::InferRequest& b) {
  Require(a.inputs.size() == b.inputs.size(), "the dialects differ in their inputs");
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    Require(a.inputs[i].name == b.inputs[i].name && a.inputs[i].shape == b.inputs[i].shape, "the dialects differ");
    Require(a.inputs[i].data.view() == b.inputs[i].data.view(), "the dialects differ in their elements");
  }
}

void RunBody(const core::ModelSignature& signature, std::string_view text) {
  const auto decoded = v1::ReadPredict(text, signature, kRules);
  const auto strict = v1::ReadPredict(text, signature);
  if (strict.has_value() && strict->row) {
    Require(decoded.has_value(), "rows are refused that TensorFlow Serving's dialect takes");
    CheckSame(*strict->request, *decoded->request);
  }
  if (!decoded.has_value()) return RequireRefused(decoded.error());
  Require((text.empty() && signature.inputs.empty()) || IsJson(text, 2 * kDepthMax), "accepted, and no JSON");
  core::InferResponse response;
  for (const core::InferTensor& input : decoded->request->inputs) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
    response.outputs.push_back(input);
  }
  json::Writer writer;
  writer.BeginObject();
  const base::Status written = v1::WriteOutputs(writer, "predictions", response.outputs, v1::Layout::kRowsIfAny);
  if (!written.ok()) return RequireRefused(written);
  writer.EndObject();
  Require(IsJson(writer.TakeString(), 2 * kDepthMax), "answered with no JSON");
}

void RunEvent(const core::ModelSignature& signature, std::string_view text) {
  net::RequestHead head;
  head.headers.emplace_back("Content-Type", "application/cloudevents+json");
  auto event = kserve_v1::CloudEvent::Of(head);
  Require(event.has_value() && *event != nullptr, "not seen as an event");
  const auto data = (*event)->ReadData(text, kDepthMax);
  if (!data.has_value()) return RequireRefused(data.error());
  Require(IsJson(text, 2 * kDepthMax), "accepted, and no JSON");
  RunBody(signature, *data);
  const auto answer = (*event)->Answer({.merge = true}, "m", 0);
  json::Writer writer;
  answer.Begin(writer);
  writer.BeginArray();
  writer.EndArray();
  std::string answered;
  for (const base::BufferSlice& piece : answer.End(std::move(writer)).body) answered += piece.view();
  Require(IsJson(answered, 2 * kDepthMax), "an event answered with no JSON");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const inferd::core::ModelSignature signature = inferd::fuzz::Signature(data[0] & 0x7F);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  if ((data[0] & 0x80) != 0) {
    inferd::fuzz::RunEvent(signature, text);
  } else {
    inferd::fuzz::RunBody(signature, text);
    static_cast<void>(inferd::kserve_v1::FindEventData(text, 64));
  }
  return 0;
}
