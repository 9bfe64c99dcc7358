#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::kubernetes {

// Why a request failed: what the API server said, or why it said nothing.
struct ApiError {
  int code = 0;        // of HTTP; 0: there was no answer
  std::string reason;  // "NotFound"; empty: not known
  std::string message;
  manifest::Value details{};  // of the server's Status, as it came; null: none
  std::optional<std::chrono::seconds> retry_after{};
  // What kind of failure it is to this program: UNAVAILABLE where another try may mend it.
  base::StatusCode status = base::StatusCode::kUnknown;

  // The object was changed meanwhile; read it again. Not of an object that is there already.
  bool is_conflict() const { return code == 409 && reason != "AlreadyExists"; }
  bool is_already_exists() const { return code == 409 && reason == "AlreadyExists"; }
  bool is_not_found() const { return code == 404; }
  // The API server says that there is no object of that name. Other answers with 404 say nothing about the object:
  // those of a proxy, and those about a kind that is not served.
  bool says_absent(std::string_view name) const;
  // What a list or a watch goes on from is not kept any more: list anew.
  bool is_expired() const { return code == 410; }

  // "NotFound: deployments.apps \"a\" not found".
  std::string ToString() const;
  base::Status ToStatus() const { return {status, ToString()}; }
};

template <typename T>
using ApiResult = std::expected<T, ApiError>;

// What an answer says that is no success. `body` is a Status, or anything that a proxy on the way made of it, of which
// the first characters become the message. `retry_after`: the header. Thread-safe, as are the others.
ApiError ErrorOfAnswer(int code, std::string_view body, std::string_view retry_after);
// The same of a Status that stands in a watch.
ApiError ErrorOfStatus(const manifest::Value& status);
// There was no answer.
ApiError ErrorWithoutAnswer(const base::Status& status);

}  // namespace inferd::kubernetes
