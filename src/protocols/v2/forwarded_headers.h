#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/name_pattern.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// Adds the headers (over gRPC: the ASCII metadata) whose names match to a request's parameters, as strings, for the
// model. What the request says itself stays as it is; of several headers of one name the first counts. gRPC's own and
// binary metadata, "grpc-..." and "...-bin", are left out. Triton's --http-header-forward-pattern and
// --grpc-header-forward-pattern.
//
// INVALID_ARGUMENT: a name that has a meaning as a parameter, or more parameters than there may be.
base::Status AddForwardedHeaders(const base::NamePattern& pattern,
                                 std::span<const std::pair<std::string_view, std::string_view>> headers,
                                 core::Parameters& parameters);

}  // namespace inferd::v2
