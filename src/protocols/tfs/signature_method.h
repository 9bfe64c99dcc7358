#pragma once

#include <string_view>

#include "base/status.h"
#include "protocols/tfs/request_metrics.h"
#include "serving/core/model/model_signature.h"

namespace inferd::tfs {

// What signatures of TensorFlow's models have as their method.
inline constexpr std::string_view kPredictMethod = "tensorflow/serving/predict";
inline constexpr std::string_view kClassifyMethod = "tensorflow/serving/classify";
inline constexpr std::string_view kRegressMethod = "tensorflow/serving/regress";

// What TensorFlow Serving's --enable_signature_method_name_check asks for, in its words: Predict is for signatures of
// any of the methods tensorflow/serving/predict, classify and regress (INTERNAL), Classify and Regress are for those of
// their own (INVALID_ARGUMENT). `api` is one of these three. Pure.
base::Status CheckMethod(Api api, const core::ModelSignature& signature);

}  // namespace inferd::tfs
