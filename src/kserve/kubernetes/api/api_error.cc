#include "kserve/kubernetes/api/api_error.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "data/manifest/fields.h"
#include "data/manifest/read.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::kubernetes {

namespace {

using base::StatusCode;
using manifest::Value;

constexpr size_t kMessageBytesMax = 4096;
constexpr int64_t kRetryAfterMaxS = 600;
constexpr int kServerErrors = 500;

// Returns the beginning of a text: whole characters only, and nothing that a terminal would interpret.
std::string Shown(std::string_view text) {
  std::string shown;
  const char* const end = text.data() + std::min(text.size(), kMessageBytesMax);
  for (const char* p = text.data(); p != end;) {
    const size_t length = base::Utf8Length(p, end);
    if (length == 0) break;
    if (length > 1 || static_cast<unsigned char>(*p) >= ' ') {
      shown.append(p, length);
    } else if (!shown.empty() && shown.back() != ' ') {
      shown += ' ';
    }
    p += length;
  }
  while (shown.ends_with(' ')) shown.pop_back();
  return shown;
}

StatusCode StatusOfCode(int code) {
  switch (code) {
    case 400:
    case 422: return StatusCode::kInvalidArgument;
    case 401: return StatusCode::kUnauthenticated;
    case 403: return StatusCode::kPermissionDenied;
    case 404: return StatusCode::kNotFound;
    case 408:
    case 429: return StatusCode::kUnavailable;
    case 409: return StatusCode::kAborted;
    case 410: return StatusCode::kOutOfRange;
    case 413: return StatusCode::kResourceExhausted;
    default: return code >= kServerErrors ? StatusCode::kUnavailable : StatusCode::kFailedPrecondition;
  }
}

std::optional<std::chrono::seconds> Seconds(std::string_view text) {
  const auto seconds = manifest::ParseInt64(text);
  if (!seconds.has_value() || *seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kRetryAfterMaxS));
}

bool IsStatus(const Value& value) {
  return TextAt(value, {"kind"}) == "Status" && TextAt(value, {"apiVersion"}) == "v1";
}

}  // namespace

std::string ApiError::ToString() const {
  if (!reason.empty()) return reason + ": " + message;
  return code == 0 ? message : "HTTP " + std::to_string(code) + ": " + message;
}

bool ApiError::says_absent(std::string_view name) const {
  return is_not_found() && reason == "NotFound" && TextAt(details, {"name"}) == name;
}

bool ApiError::says_not_served() const {
  // A path of an unknown API is answered in plain text; one of a kind that the API lacks is answered with a Status.
  return is_not_found() && (reason == "NotFound" || message.starts_with("404 page not found"));
}

ApiError ErrorOfStatus(const Value& status) {
  ApiError error;
  const auto code = manifest::ParseInt64(TextAt(status, {"code"}));
  error.code = code.has_value() && *code >= 400 && *code < 600 ? static_cast<int>(*code) : kServerErrors;
  error.reason = Shown(TextAt(status, {"reason"}));
  error.message = Shown(TextAt(status, {"message"}));
  if (const Value* details = status.Find("details"); details != nullptr && details->is(manifest::Kind::kMap)) {
    error.details = *details;
    error.retry_after = Seconds(TextAt(*details, {"retryAfterSeconds"}));
  }
  // In a watch's Status, webhooks and old servers omit the code.
  if (!code.has_value() && error.reason == "Expired") error.code = 410;
  error.status = StatusOfCode(error.code);
  return error;
}

ApiError ErrorOfAnswer(int code, std::string_view body, std::string_view retry_after) {
  ApiError error;
  const auto documents = manifest::ReadJson(body, "answer");
  if (documents.has_value() && documents->size() == 1 && IsStatus(documents->front())) {
    error = ErrorOfStatus(documents->front());
  } else {
    error.message = Shown(body);
  }
  error.code = code;
  error.status = StatusOfCode(code);
  if (const auto seconds = Seconds(retry_after)) error.retry_after = seconds;
  return error;
}

ApiError ErrorWithoutAnswer(const base::Status& status) {
  return {.code = 0, .reason = {}, .message = status.message(), .status = status.code()};
}

}  // namespace inferd::kubernetes
