#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/tfs_http/codec/options.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_http {

// {"result": [[["label", score], ..], ..]}: of tfs::FindClasses.
base::Result<net::HttpResponse> WriteClassification(const core::InferResponse& response,
                                                    const core::ModelSignature& signature,
                                                    std::optional<int64_t> examples, ResultKey key);

// {"result": [value, ..]}: of tfs::FindValues.
base::Result<net::HttpResponse> WriteRegression(const core::InferResponse& response,
                                                const core::ModelSignature& signature, std::optional<int64_t> examples,
                                                ResultKey key);

}  // namespace inferd::tfs_http
