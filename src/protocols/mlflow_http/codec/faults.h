#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"

// Errors of a request in the words of MLflow's scoring server. INVALID_ARGUMENT becomes its BAD_REQUEST, and
// OUT_OF_RANGE its INVALID_PARAMETER_VALUE (ErrorAnswer()).

namespace inferd::mlflow_http {

// Returns "Invalid input. <what>".
base::Status InputFault(std::string_view what);

// Returns the error for a body that is not JSON.
base::Status JsonFault(std::string_view body, const base::Status& status);

// Returns "The input must be a JSON dictionary with exactly one of ...", ending with `received`.
std::string WantedForm(std::string_view received);

// Returns the error for data that does not fit the model's inputs: "Failed to predict data ... Failed to enforce schema
// ... Error: <what>".
base::Status SchemaFault(std::string_view data, const core::ModelSignature& signature, std::string_view what);

// Returns "['a', 'b']", cut after some hundred names.
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

// Returns numpy's name of a datatype: "float64".
std::string_view NumpyName(tensor::DataType type);

// Returns "(1, 8)" or "(3,)".
std::string TupleText(const tensor::Shape& shape);

}  // namespace inferd::mlflow_http
