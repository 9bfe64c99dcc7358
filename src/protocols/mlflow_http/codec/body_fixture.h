#pragma once

#include <cstring>
#include <string>

#include "data/tensor/bytes.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::mlflow_http {

// The signature of a table's columns: a FP64, n INT32, and the optional word BYTES.
inline core::ModelSignature TableSignature() {
  using tensor::DataType;
  return {.inputs = {{.name = "a", .datatype = DataType::kFp64, .shape = {-1}},
                     {.name = "n", .datatype = DataType::kInt32, .shape = {-1, 1}},
                     {.name = "word", .datatype = DataType::kBytes, .shape = {-1}, .optional = true}},
          .outputs = {}};
}

inline core::ModelSignature MatrixSignature() {
  return {.inputs = {{.name = "X", .datatype = tensor::DataType::kFp32, .shape = {-1, 2}}}, .outputs = {}};
}

template <typename T>
void ShowNumbers(const base::BufferSlice& data, std::string& text) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof value);
    std::string digits = std::to_string(value);
    if (digits.contains('.')) digits = digits.substr(0, digits.find('.') + 2);
    text += " " + digits;
  }
}

// Returns the tensors of a request, such as "a[2] 1.0 2.5; n[2,1] 3 4", or the error.
inline std::string Shown(const base::Result<std::unique_ptr<core::InferRequest>>& request) {
  if (!request.has_value()) return request.error().ToString();
  std::string text;
  for (const core::InferTensor& input : (*request)->inputs) {
    text += (text.empty() ? "" : "; ") + input.name + input.shape.ToString();
    switch (input.datatype) {
      case tensor::DataType::kFp64: ShowNumbers<double>(input.data, text); break;
      case tensor::DataType::kFp32: ShowNumbers<float>(input.data, text); break;
      case tensor::DataType::kInt32: ShowNumbers<int32_t>(input.data, text); break;
      default:
        for (const std::string_view element : tensor::PackedElements(input.data.bytes())) {
          text.append(" ").append(element);
        }
    }
  }
  return text;
}

}  // namespace inferd::mlflow_http
