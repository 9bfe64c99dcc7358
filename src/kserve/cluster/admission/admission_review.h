#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

// The messages between an API server and a webhook (admission.k8s.io/v1 AdmissionReview). Thread-safe.

namespace inferd::cluster {

// A request of the API server for a review.
struct AdmissionRequest {
  std::string uid;  // repeated in the response
  std::string group;
  std::string version;
  std::string kind;  // "InferenceService"
  std::string subresource;
  std::string name;            // empty if the server will generate it
  std::string namespace_name;  // empty for cluster-scoped objects
  std::string operation;       // CREATE, UPDATE, DELETE, CONNECT
  manifest::Value object;      // null for DELETE
  manifest::Value old_object;  // null for CREATE

  // True if the object is being deleted: its metadata has a deletionTimestamp.
  bool is_being_deleted() const;
};

// A webhook's response.
struct AdmissionResponse {
  std::string uid;
  bool allowed = true;
  int code = 0;                            // of a denial: an HTTP status
  std::string reason = {};                 // of a denial
  std::string message = {};                // of a denial
  std::vector<std::string> warnings = {};  // shown by kubectl; at most 20, each of 256 characters
  manifest::Value patch = {};              // a JSON patch of the object; null if none
};

// The reason why a review cannot be parsed: "request.operation: is required".
struct ReviewFault {
  std::string uid;  // of the review; empty if unknown
  std::string message;
};

// The size limit of a review's text. It has an object and the object that it replaces, each at most the 3 MiB that an
// API server accepts.
inline constexpr size_t kReviewBytesMax = 8 << 20;
// Parses a review. An error names the first wrong field, or the limit that was exceeded. `object` and `old_object` are
// only checked to be maps.
std::expected<AdmissionRequest, ReviewFault> ReadReview(std::string_view body);

// Returns a denial. Its message is cut at 4 096 bytes.
AdmissionResponse Denial(std::string uid, int code, std::string reason, std::string message);

// Returns an AdmissionReview with the response, as JSON.
std::string ToJson(const AdmissionResponse& response);
// Returns a Status of Kubernetes' API, as JSON. API servers show its message if the HTTP status is no success.
std::string StatusJson(int code, std::string_view reason, std::string_view message);

}  // namespace inferd::cluster
