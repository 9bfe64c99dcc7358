#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/tfs/request_metrics.h"
#include "serving/core/model/model_signature.h"

namespace inferd::tfs {

// The methods of signatures in TensorFlow's models.
inline constexpr std::string_view kPredictMethod = "tensorflow/serving/predict";
inline constexpr std::string_view kClassifyMethod = "tensorflow/serving/classify";
inline constexpr std::string_view kRegressMethod = "tensorflow/serving/regress";

// Checks TensorFlow Serving's --enable_signature_method_name_check, with its error texts. Predict accepts signatures
// with any of the methods tensorflow/serving/predict, classify and regress (else INTERNAL). Classify and Regress accept
// only those with their own method (else INVALID_ARGUMENT). `api` is one of these three. Pure.
base::Status CheckMethod(Api api, const core::ModelSignature& signature);

}  // namespace inferd::tfs
