// Fuzzes bodies of MLflow's /invocations, JSON and CSV, against a strict DOM (Boost.JSON). A body that is accepted as
// JSON must be JSON, and its tensors must fit their shapes and the model's inputs. The answer must be JSON, too. Input:
// the form and the model, then the body.

#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "data/tensor/raw.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"
#include "protocols/mlflow_http/codec/answer.h"
#include "protocols/mlflow_http/codec/content_type.h"
#include "protocols/mlflow_http/codec/csv_body.h"
#include "protocols/mlflow_http/codec/json_body.h"

namespace inferd::fuzz {
namespace {

using tensor::DataType;

constexpr size_t kDepthMax = 64;

core::ModelSignature Signature(uint8_t choice) {
  constexpr DataType kTypes[] = {DataType::kBool,  DataType::kUint8, DataType::kUint64, DataType::kInt8,
                                 DataType::kInt64, DataType::kFp16,  DataType::kFp32,   DataType::kBytes};
  constexpr uint8_t kCount = sizeof kTypes / sizeof kTypes[0];
  choice %= 2 * kCount + 3;
  if (choice < kCount) return {.inputs = {{.name = "x", .datatype = kTypes[choice], .shape = {-1}}}, .outputs = {}};
  if (choice < 2 * kCount) {
    return {.inputs = {{.name = "x", .datatype = kTypes[choice - kCount], .shape = {-1, -1}}}, .outputs = {}};
  }
  if (choice == 2 * kCount) return {};
  const bool named = choice == 2 * kCount + 1;
  return {.inputs = {{.name = named ? "a" : "input-0", .datatype = DataType::kFp32, .shape = {-1}},
                     {.name = named ? "n" : "input-1", .datatype = DataType::kBytes, .shape = {-1, 1}},
                     {.name = named ? "o" : "input-2", .datatype = DataType::kFp64, .shape = {-1}, .optional = named}},
          .outputs = {}};
}

std::string TextOf(const net::HttpResponse& answer) {
  std::string text;
  for (const base::BufferSlice& piece : answer.body) text += piece.view();
  return text;
}

void CheckRequest(const core::ModelSignature& signature, const core::InferRequest& request) {
  core::InferResponse response;
  for (const core::InferTensor& input : request.inputs) {
    const int found = signature.FindInput(input.name);
    Require(found >= 0, "a tensor is no input of the model");
    Require(tensor::Matches(signature.inputs[static_cast<size_t>(found)].shape, input.shape),
            "a shape is not the model's");
    Require(tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).ok(), "a tensor does not fit its shape");
    response.outputs.push_back(input);
  }
  for (const bool table : {false, true}) {
    if (table) response.parameters = {{"content_type", std::string("pd")}};
    const auto answer = mlflow_http::WriteAnswer(response);
    if (!answer.has_value()) {
      Require(table, "not answered");
      continue;
    }
    Require(IsJson(TextOf(*answer), 2 * kDepthMax), "answered with no JSON");
  }
}

void CheckRefused(const base::Status& status) {
  using base::StatusCode;
  Require(status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kOutOfRange ||
              status.code() == StatusCode::kResourceExhausted,
          "refused with another code");
  Require(IsJson(TextOf(mlflow_http::ErrorAnswer({}, status)), 2 * kDepthMax), "refused with no JSON");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  if (size == 0) return 0;
  const core::ModelSignature signature = fuzz::Signature(data[0] & 0x7F);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool csv = (data[0] & 0x80) != 0;
  static_cast<void>(mlflow_http::FormOfBody(text));
  const auto request =
      csv ? mlflow_http::ReadCsvBody(text, signature) : mlflow_http::ReadJsonBody(text, signature, fuzz::kDepthMax);
  if (!request.has_value()) {
    fuzz::CheckRefused(request.error());
    return 0;
  }
  fuzz::Require(csv || fuzz::IsJson(text, 2 * fuzz::kDepthMax), "accepted, and no JSON");
  fuzz::CheckRequest(signature, **request);
  return 0;
}
