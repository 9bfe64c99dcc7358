#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// What events say of the model that they come from. Empty ones, but for the source, are left out.
struct EventOrigin {
  std::string source = {};  // a URI reference
  std::string inference_service = {};
  std::string namespace_name = {};
  std::string component = {};  // "predictor"
  std::string endpoint = {};   // "default", "canary"
};

inline constexpr std::string_view kRequestEvent = "org.kubeflow.serving.inference.request";
inline constexpr std::string_view kResponseEvent = "org.kubeflow.serving.inference.response";

// The header fields of the event over HTTP, whose body is the payload's (CloudEvents 1.0, HTTP Protocol Binding, binary
// mode). What may not stand in a header is percent-encoded.
std::vector<std::pair<std::string, std::string>> EventFields(const EventOrigin& origin, const Payload& payload);

}  // namespace inferd::payloadlog
