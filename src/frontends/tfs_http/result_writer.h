#pragma once

#include "base/status.h"
#include "core/infer_response.h"
#include "core/model_signature.h"
#include "frontends/tfs_http/options.h"
#include "net/http.h"

namespace inferd::tfs_http {

// Whether a model's outputs can be read as a classification, or a regression. INVALID_ARGUMENT: they cannot, and what
// would do.
base::Status CheckClassifier(const core::ModelSignature& signature);
base::Status CheckRegressor(const core::ModelSignature& signature);

// {"result": [[["label", score], ..], ..]}: for each example, each class in the model's order. Scores are the output
// `scores`, or the only numeric output with a point, [examples, classes]; labels are the BYTES output `classes` of the
// same shape, or else the labels of the scores' output; "" where there are none. A model that has `classes` alone
// scores each with 0.
base::Result<net::HttpResponse> WriteClassification(const core::InferResponse& response,
                                                    const core::ModelSignature& signature, ResultKey key);

// {"result": [value, ..]}: of the output `outputs`, or the only numeric output, [examples] or [examples, 1].
base::Result<net::HttpResponse> WriteRegression(const core::InferResponse& response,
                                                const core::ModelSignature& signature, ResultKey key);

}  // namespace inferd::tfs_http
