#include "protocols/v2/forwarded_headers.h"

#include <string>

#include "protocols/v2/parameters.h"

namespace inferd::v2 {

base::Status AddForwardedHeaders(const base::NamePattern& pattern,
                                 std::span<const std::pair<std::string_view, std::string_view>> headers,
                                 core::Parameters& parameters) {
  for (const auto& [name, value] : headers) {
    if (name.starts_with("grpc-") || name.ends_with("-bin")) continue;
    if (!pattern.Matches(name) || core::FindParameter(parameters, name) != nullptr) continue;
    if (IsKnownParameter(name)) {
      return base::InvalidArgument("header '" + std::string(name) +
                                   "' cannot be forwarded: the parameter of that name has a meaning of its own");
    }
    if (parameters.size() == kParametersMax) {
      return base::InvalidArgument("more than " + std::to_string(kParametersMax) +
                                   " parameters, with the headers that are forwarded");
    }
    parameters.emplace_back(std::string(name), std::string(value));
  }
  return {};
}

}  // namespace inferd::v2
