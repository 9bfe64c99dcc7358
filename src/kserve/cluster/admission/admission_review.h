#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"

// Kubernetes' words between an API server and a webhook (admission.k8s.io/v1 AdmissionReview). Thread-safe.

namespace inferd::cluster {

// What the API server asks about.
struct AdmissionRequest {
  std::string uid;  // that the answer repeats
  std::string group;
  std::string version;
  std::string kind;  // "InferenceService"
  std::string subresource;
  std::string name;            // empty: the server is to make one
  std::string namespace_name;  // empty: an object of the cluster
  std::string operation;       // CREATE, UPDATE, DELETE, CONNECT
  manifest::Value object;      // null: of DELETE
  manifest::Value old_object;  // null: of CREATE

  // The object is on its way out: its metadata has a deletionTimestamp.
  bool is_being_deleted() const;
};

// What it is told.
struct AdmissionResponse {
  std::string uid;
  bool allowed = true;
  int code = 0;                            // of a denial: as of HTTP
  std::string reason = {};                 // of a denial
  std::string message = {};                // of a denial
  std::vector<std::string> warnings = {};  // that kubectl shows, 20 at most, each of 256 characters
  manifest::Value patch = {};              // a JSON patch of the object; null: none
};

// Why a review is not understood: "request.operation: is required".
struct ReviewFault {
  std::string uid;  // of the review; empty: not even that is known
  std::string message;
};

// Of a review's text: an object and what it replaces, each of which is at most the 3 MiB that an API server takes.
inline constexpr size_t kReviewBytesMax = 8 << 20;
// A fault names the first field that is wrong, or the limit that was passed; of `object` and `old_object` nothing is
// looked at but that they are maps.
std::expected<AdmissionRequest, ReviewFault> ReadReview(std::string_view body);

// A denial, of a message that is cut at 4 096 bytes.
AdmissionResponse Denial(std::string uid, int code, std::string reason, std::string message);

// The AdmissionReview that carries the response, as JSON.
std::string ToJson(const AdmissionResponse& response);
// A Status of Kubernetes' API, as JSON: what an API server shows of an answer that is no success of HTTP.
std::string StatusJson(int code, std::string_view reason, std::string_view message);

}  // namespace inferd::cluster
