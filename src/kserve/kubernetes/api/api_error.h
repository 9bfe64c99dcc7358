#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::kubernetes {

// The reason why a request failed: the API server's error, or the cause of a missing answer.
struct ApiError {
  int code = 0;        // HTTP status; 0 if there was no answer
  std::string reason;  // "NotFound"; empty if unknown
  std::string message;
  manifest::Value details{};  // of the server's Status, unchanged; null if none
  std::optional<std::chrono::seconds> retry_after{};
  // The kind of failure for this program. UNAVAILABLE if a retry may succeed.
  base::StatusCode status = base::StatusCode::kUnknown;

  // True if the object was changed meanwhile; the caller must read it again. False if an object to create already
  // exists.
  bool is_conflict() const { return code == 409 && reason != "AlreadyExists"; }
  bool is_already_exists() const { return code == 409 && reason == "AlreadyExists"; }
  bool is_not_found() const { return code == 404; }
  // True if the API server says that no object has that name. Other answers with 404 say nothing about the object:
  // those of a proxy, and those about a kind that is not served.
  bool says_absent(std::string_view name) const;
  // True if the API server says that it does not serve the API or the kind. False for a proxy's 404.
  bool says_not_served() const;
  // True if the server no longer has the state that a list or a watch continues from. The caller must list again.
  bool is_expired() const { return code == 410; }

  // Returns for example "NotFound: deployments.apps \"a\" not found".
  std::string ToString() const;
  base::Status ToStatus() const { return {status, ToString()}; }
};

template <typename T>
using ApiResult = std::expected<T, ApiError>;

// Converts an unsuccessful answer. `body` is a Status, or any text of a proxy, whose first characters become the
// message. `retry_after` is the value of that header. Thread-safe, like the other functions of this file.
ApiError ErrorOfAnswer(int code, std::string_view body, std::string_view retry_after);
// Converts a Status that was received in a watch.
ApiError ErrorOfStatus(const manifest::Value& status);
// Makes the error of a request without an answer.
ApiError ErrorWithoutAnswer(const base::Status& status);

}  // namespace inferd::kubernetes
