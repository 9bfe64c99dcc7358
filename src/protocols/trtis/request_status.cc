#include "protocols/trtis/request_status.h"

#include "base/text/printable.h"
#include "base/text/utf8.h"
#include "data/wire/append.h"
#include "protocols/trtis/text_form.h"

namespace inferd::trtis {

namespace {

// A client controls the length of the quotations in a message; an escaped header line must be readable by all clients.
constexpr size_t kMessageBytesMax = 1024;

std::string Cut(std::string_view message) {
  return message.size() > kMessageBytesMax ? base::Printable(message, kMessageBytesMax) : std::string(message);
}

}  // namespace

Code CodeOf(base::StatusCode code) {
  using base::StatusCode;
  switch (code) {
    case StatusCode::kOk: return Code::kSuccess;
    case StatusCode::kInvalidArgument:
    case StatusCode::kAlreadyExists:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kOutOfRange:
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated: return Code::kInvalidArg;
    case StatusCode::kNotFound: return Code::kNotFound;
    case StatusCode::kUnimplemented: return Code::kUnsupported;
    case StatusCode::kInternal:
    case StatusCode::kDataLoss: return Code::kInternal;
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kResourceExhausted:
    case StatusCode::kAborted:
    case StatusCode::kUnavailable: return Code::kUnavailable;
    case StatusCode::kCancelled:
    case StatusCode::kUnknown: break;
  }
  return Code::kUnknown;
}

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kInvalid: return "INVALID";
    case Code::kSuccess: return "SUCCESS";
    case Code::kUnknown: return "UNKNOWN";
    case Code::kInternal: return "INTERNAL";
    case Code::kNotFound: return "NOT_FOUND";
    case Code::kInvalidArg: return "INVALID_ARG";
    case Code::kUnavailable: return "UNAVAILABLE";
    case Code::kUnsupported: break;
  }
  return "UNSUPPORTED";
}

std::string StatusText(const RequestStatus& status) {
  std::string text = "code: ";
  text.reserve(96);
  text += CodeName(status.code);
  if (!status.message.empty()) {
    text += " msg: ";
    AppendQuoted(text, Cut(status.message));
  }
  if (!status.server_id.empty()) {
    text += " server_id: ";
    AppendQuoted(text, status.server_id);
  }
  if (status.request_id != 0) {
    text += " request_id: ";
    AppendDecimal(text, status.request_id);
  }
  return text;
}

std::string StatusMessage(const RequestStatus& status) {
  std::string message;
  message.reserve(64);
  wire::AppendNumber(1, static_cast<int64_t>(status.code), &message);
  if (!status.message.empty()) wire::AppendBytes(2, base::ReplaceMalformedUtf8(Cut(status.message)), &message);
  if (!status.server_id.empty()) wire::AppendBytes(3, status.server_id, &message);
  if (status.request_id != 0) wire::AppendNumber(4, static_cast<int64_t>(status.request_id), &message);
  return message;
}

}  // namespace inferd::trtis
