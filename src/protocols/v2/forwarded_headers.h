#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/name_pattern.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v2 {

// Adds the headers (over gRPC: the ASCII metadata) with matching names to a request's parameters, as strings, for the
// model. The request's own parameters are kept; of repeated headers the first counts. gRPC's own and binary metadata,
// "grpc-..." and "...-bin", are left out. This is Triton's --http-header-forward-pattern and
// --grpc-header-forward-pattern.
//
// INVALID_ARGUMENT for a name that has a meaning as a parameter, and for too many parameters.
base::Status AddForwardedHeaders(const base::NamePattern& pattern,
                                 std::span<const std::pair<std::string_view, std::string_view>> headers,
                                 core::Parameters& parameters);

}  // namespace inferd::v2
