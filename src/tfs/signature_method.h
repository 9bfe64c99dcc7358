#pragma once

#include "base/status.h"
#include "core/model_signature.h"
#include "tfs/request_metrics.h"

namespace inferd::tfs {

// What TensorFlow Serving's --enable_signature_method_name_check asks for, in its words: Predict is for signatures of
// any of the methods tensorflow/serving/predict, classify and regress (INTERNAL), Classify and Regress are for those of
// their own (INVALID_ARGUMENT). `api` is one of these three. Pure.
base::Status CheckMethod(Api api, const core::ModelSignature& signature);

}  // namespace inferd::tfs
