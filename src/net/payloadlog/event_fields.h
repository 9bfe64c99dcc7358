#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/payloadlog/payload.h"

namespace inferd::payloadlog {

// An event's facts about the model that it comes from. Empty ones, except the source, are left out.
struct EventOrigin {
  std::string source = {};  // a URI reference
  std::string inference_service = {};
  std::string namespace_name = {};
  std::string component = {};  // "predictor"
  std::string endpoint = {};   // "default", "canary"
};

inline constexpr std::string_view kRequestEvent = "org.kubeflow.serving.inference.request";
inline constexpr std::string_view kResponseEvent = "org.kubeflow.serving.inference.response";

// Returns the header fields of an event over HTTP; the body is the payload's (CloudEvents 1.0, HTTP Protocol Binding,
// binary mode). Characters that are illegal in a header are percent-encoded.
std::vector<std::pair<std::string, std::string>> EventFields(const EventOrigin& origin, const Payload& payload);

}  // namespace inferd::payloadlog
