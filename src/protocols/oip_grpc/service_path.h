#pragma once

#include <string>
#include <string_view>

namespace inferd::oip_grpc {

// Returns the path of a method of the service.
inline std::string PathOf(std::string_view method) { return "/inference.GRPCInferenceService/" + std::string(method); }

}  // namespace inferd::oip_grpc
