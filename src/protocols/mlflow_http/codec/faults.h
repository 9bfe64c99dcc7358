#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"

// What is wrong with a request, in the words of MLflow's scoring server. INVALID_ARGUMENT is its BAD_REQUEST, and
// OUT_OF_RANGE its INVALID_PARAMETER_VALUE (ErrorAnswer).

namespace inferd::mlflow_http {

// "Invalid input. <what>"
base::Status InputFault(std::string_view what);

// The body is no JSON.
base::Status JsonFault(std::string_view body, const base::Status& status);

// "The input must be a JSON dictionary with exactly one of ..."; `received` ends it.
std::string WantedForm(std::string_view received);

// The data do not fit the model's inputs: "Failed to predict data ... Failed to enforce schema ... Error: <what>".
base::Status SchemaFault(std::string_view data, const core::ModelSignature& signature, std::string_view what);

// "['a', 'b']", cut behind some hundred names.
template <typename Names>
std::string QuoteNames(const Names& names) {
  constexpr size_t kBytesMax = 4096;
  std::string text = "[";
  for (const auto& name : names) {
    if (text.size() > kBytesMax) return text + ", ...]";
    text.append(text.size() > 1 ? ", '" : "'").append(name).append("'");
  }
  return text + "]";
}

// numpy's name of a datatype: "float64".
std::string_view NumpyName(tensor::DataType type);

// "(1, 8)", "(3,)"
std::string TupleText(const tensor::Shape& shape);

}  // namespace inferd::mlflow_http
