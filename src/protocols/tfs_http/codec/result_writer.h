#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "net/http/http.h"
#include "protocols/tfs_http/codec/options.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_http {

// Writes {"result": [[["label", score], ..], ..]} from tfs::FindClasses().
base::Result<net::HttpResponse> WriteClassification(const core::InferResponse& response,
                                                    const core::ModelSignature& signature,
                                                    std::optional<int64_t> examples, ResultKey key);

// Writes {"result": [value, ..]} from tfs::FindValues().
base::Result<net::HttpResponse> WriteRegression(const core::InferResponse& response,
                                                const core::ModelSignature& signature, std::optional<int64_t> examples,
                                                ResultKey key);

}  // namespace inferd::tfs_http
