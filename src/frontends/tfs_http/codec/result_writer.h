#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "core/model/model_signature.h"
#include "core/request/infer_response.h"
#include "frontends/tfs_http/codec/options.h"
#include "net/http/http.h"

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
