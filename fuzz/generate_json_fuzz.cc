// Fuzzes bodies of Triton's generate extension. An accepted body must be JSON for a strict DOM (Boost.JSON), and its
// tensors must fit their shapes. A response with the same tensors must be JSON, too, and must read as the same request.
// Input: the model, then the body.

#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/tensor/raw.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"
#include "protocols/oip_http/codec/generate_request_reader.h"
#include "protocols/oip_http/codec/generate_response_writer.h"

namespace inferd::fuzz {
namespace {

using tensor::DataType;

constexpr size_t kDepthMax = 64;

core::ModelSignature Signature(uint8_t choice) {
  constexpr DataType kTypes[] = {DataType::kBool,  DataType::kUint8, DataType::kUint64, DataType::kInt8,
                                 DataType::kInt64, DataType::kFp16,  DataType::kFp32,   DataType::kBytes};
  constexpr uint8_t kCount = sizeof kTypes / sizeof kTypes[0];
  choice %= kCount + 3;
  if (choice < kCount) return {.inputs = {{.name = "x", .datatype = kTypes[choice], .shape = {-1}}}, .outputs = {}};
  if (choice == kCount) return {};
  if (choice == kCount + 1) {
    return {
        .inputs = {{.name = "x", .datatype = DataType::kInt32, .shape = {}, .any_shape = true, .unknown_rank = true}},
        .outputs = {}};
  }
  return {.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 2, -1}},
                     {.name = "n", .datatype = DataType::kBytes, .shape = {-1, 1}},
                     {.name = "o", .datatype = DataType::kInt64, .shape = {3}, .optional = true}},
          .outputs = {}};
}

void Run(const core::ModelSignature& signature, std::string_view text) {
  const auto request = oip_http::ReadGenerateRequest(text, signature, kDepthMax);
  if (!request.has_value()) return RequireRefused(request.error());
  Require(IsJson(text, 2 * kDepthMax), "accepted, and no JSON");
  core::InferResponse response;
  for (const core::InferTensor& input : (*request)->inputs) {
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
    response.outputs.push_back(input);
  }
  response.parameters = (*request)->parameters;
  const auto answer = oip_http::WriteGenerateResponse(response, {});
  if (!answer.has_value()) return RequireRefused(answer.error());
  std::string answered;
  for (const base::BufferSlice& piece : answer->body) answered += piece.view();
  Require(IsJson(answered, 2 * kDepthMax), "answered with no JSON");
  if (!response.parameters.empty()) return;  // parameters may have the names of tensors
  const auto again = oip_http::ReadGenerateRequest(answered, signature, kDepthMax);
  Require(again.has_value(), "an answer is no request");
  Require((*again)->inputs.size() == (*request)->inputs.size(), "the answer has other inputs");
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    const core::InferTensor& before = response.outputs[i];
    const core::InferTensor& behind = (*again)->inputs[i];
    const bool any_rank = signature.inputs[static_cast<size_t>(signature.FindInput(before.name))].unknown_rank;
    Require(before.name == behind.name && (any_rank || before.shape == behind.shape), "the answer has another shape");
    Require(before.data.view() == behind.data.view(), "the answer has other elements");
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  inferd::fuzz::Run(inferd::fuzz::Signature(data[0]), {reinterpret_cast<const char*>(data + 1), size - 1});
  return 0;
}
