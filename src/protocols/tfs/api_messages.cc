#include "protocols/tfs/api_messages.h"

#include <cstdint>

#include "data/tensor/bytes.h"
#include "data/wire/append.h"
#include "protocols/tfs/dtype.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/results.h"

namespace inferd::tfs {

namespace {

constexpr uint32_t kEntryKey = 1, kEntryValue = 2;                                        // of a map
constexpr uint32_t kDtype = 1, kTensorShape = 2, kTensorContent = 4, kStringVal = 8;      // TensorProto
constexpr uint32_t kShapeDim = 2, kDimSize = 1;                                           // TensorShapeProto
constexpr uint32_t kSpecName = 1, kSpecVersion = 2, kSpecSignature = 3, kInt64Value = 1;  // ModelSpec
constexpr uint32_t kRequestSpec = 1, kRequestInputs = 2;                                  // PredictRequest
constexpr uint32_t kResponseOutputs = 1, kResponseSpec = 2;                               // PredictResponse
constexpr uint32_t kRequestInput = 2, kExampleList = 1, kExamples = 1;  // ClassificationRequest, Input
constexpr uint32_t kResult = 1, kResultSpec = 2;                        // of both responses
constexpr uint32_t kRows = 1;  // ClassificationResult.classifications, RegressionResult.regressions
constexpr uint32_t kClasses = 1, kLabel = 1, kScore = 2;  // Classifications, Class
constexpr uint32_t kValue = 1;                            // Regression

std::string TensorMessage(const core::InferTensor& tensor) {
  std::string message;
  wire::AppendNumber(kDtype, static_cast<int64_t>(DtypeOf(tensor.datatype)), &message);
  std::string shape;
  for (const int64_t size : tensor.shape.dims()) {
    std::string dim;
    wire::AppendNumber(kDimSize, size, &dim);
    wire::AppendBytes(kShapeDim, dim, &shape);
  }
  wire::AppendBytes(kTensorShape, shape, &message);
  if (tensor.datatype != tensor::DataType::kBytes) {
    wire::AppendBytes(kTensorContent, tensor.data.view(), &message);
    return message;
  }
  for (const std::string_view element : tensor::PackedElements(tensor.data.bytes())) {
    wire::AppendBytes(kStringVal, element, &message);
  }
  return message;
}

void AppendTensors(uint32_t number, std::span<const core::InferTensor> tensors, std::string* message) {
  for (const core::InferTensor& tensor : tensors) {
    std::string entry;
    wire::AppendBytes(kEntryKey, tensor.name, &entry);
    wire::AppendBytes(kEntryValue, TensorMessage(tensor), &entry);
    wire::AppendBytes(number, entry, message);
  }
}

std::string ResultMessage(std::string_view spec, std::string_view result) {
  std::string message;
  wire::AppendBytes(kResult, result, &message);
  wire::AppendBytes(kResultSpec, spec, &message);
  return message;
}

}  // namespace

std::string ModelSpecMessage(std::string_view model, std::string_view version, std::string_view signature) {
  std::string message;
  wire::AppendBytes(kSpecName, model, &message);
  if (!version.empty()) {
    std::string value;
    wire::AppendNumber(kInt64Value, VersionNumber(version), &value);
    wire::AppendBytes(kSpecVersion, value, &message);
  }
  wire::AppendBytes(kSpecSignature, MeantSignature(signature), &message);
  return message;
}

std::string PredictRequestMessage(std::string_view spec, std::span<const core::InferTensor> inputs) {
  std::string message;
  wire::AppendBytes(kRequestSpec, spec, &message);
  AppendTensors(kRequestInputs, inputs, &message);
  return message;
}

std::string PredictResponseMessage(std::string_view spec, std::span<const core::InferTensor> outputs) {
  std::string message;
  AppendTensors(kResponseOutputs, outputs, &message);
  wire::AppendBytes(kResponseSpec, spec, &message);
  return message;
}

std::string ExamplesRequestMessage(std::string_view spec, const core::InferTensor& examples) {
  std::string list;
  for (const std::string_view example : tensor::PackedElements(examples.data.bytes())) {
    wire::AppendBytes(kExamples, example, &list);
  }
  std::string input;
  wire::AppendBytes(kExampleList, list, &input);
  std::string message;
  wire::AppendBytes(kRequestSpec, spec, &message);
  wire::AppendBytes(kRequestInput, input, &message);
  return message;
}

base::Result<std::string> ClassificationResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                        const core::ModelSignature& signature) {
  INFERD_ASSIGN_OR_RETURN(const Classes found, FindClasses(response, signature, std::nullopt));
  ClassCursor cursor(found);
  std::string result;
  for (size_t row = 0; row < found.rows; ++row) {
    std::string classes;
    for (size_t i = 0; i < found.classes; ++i) {
      const auto [label, score] = cursor.Next();
      std::string one;
      wire::AppendBytes(kLabel, label, &one);
      wire::AppendFloat(kScore, score, &one);
      wire::AppendBytes(kClasses, one, &classes);
    }
    wire::AppendBytes(kRows, classes, &result);
  }
  return ResultMessage(spec, result);
}

base::Result<std::string> RegressionResponseMessage(std::string_view spec, const core::InferResponse& response,
                                                    const core::ModelSignature& signature) {
  INFERD_ASSIGN_OR_RETURN(const core::InferTensor* const values, FindValues(response, signature, std::nullopt));
  const auto count = static_cast<size_t>(values->shape.ElementCount().value_or(0));
  std::string result;
  for (size_t i = 0; i < count; ++i) {
    std::string regression;
    wire::AppendFloat(kValue, ValueAt(*values, i), &regression);
    wire::AppendBytes(kRows, regression, &result);
  }
  return ResultMessage(spec, result);
}

}  // namespace inferd::tfs
