#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::base {

// The canonical codes, numbered as in gRPC ("Status codes and their use in gRPC").
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT" and so on; never empty.
std::string_view StatusCodeName(StatusCode code);

// A code and, unless OK, a message that a user can act on. Immutable except by assignment; not thread-safe.
class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // Returns "INVALID_ARGUMENT: input 'x' ...", or "OK".
  std::string ToString() const;

  // Returns the same code with `context` and ": " before the message. OK stays OK.
  Status WithContext(std::string_view context) const;

  bool operator==(const Status&) const = default;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return {}; }
inline Status InvalidArgument(std::string m) { return {StatusCode::kInvalidArgument, std::move(m)}; }
inline Status NotFound(std::string m) { return {StatusCode::kNotFound, std::move(m)}; }
inline Status AlreadyExists(std::string m) { return {StatusCode::kAlreadyExists, std::move(m)}; }
inline Status PermissionDenied(std::string m) { return {StatusCode::kPermissionDenied, std::move(m)}; }
inline Status ResourceExhausted(std::string m) { return {StatusCode::kResourceExhausted, std::move(m)}; }
inline Status FailedPrecondition(std::string m) { return {StatusCode::kFailedPrecondition, std::move(m)}; }
inline Status OutOfRange(std::string m) { return {StatusCode::kOutOfRange, std::move(m)}; }
inline Status Unimplemented(std::string m) { return {StatusCode::kUnimplemented, std::move(m)}; }
inline Status Internal(std::string m) { return {StatusCode::kInternal, std::move(m)}; }
inline Status Unavailable(std::string m) { return {StatusCode::kUnavailable, std::move(m)}; }
inline Status DeadlineExceeded(std::string m) { return {StatusCode::kDeadlineExceeded, std::move(m)}; }
inline Status Cancelled(std::string m) { return {StatusCode::kCancelled, std::move(m)}; }

template <typename T>
using Result = std::expected<T, Status>;

}  // namespace inferd::base

#define INFERD_CONCAT_INNER(a, b) a##b
#define INFERD_CONCAT(a, b) INFERD_CONCAT_INNER(a, b)

// Returns the error from the enclosing function (which returns Status or Result<T>) if `expr`, a Status, is not OK.
#define INFERD_RETURN_IF_ERROR(expr)                                            \
  do {                                                                          \
    if (::inferd::base::Status inferd_status_ = (expr); !inferd_status_.ok()) { \
      return ::inferd::base::internal::AsError(std::move(inferd_status_));      \
    }                                                                           \
  } while (false)

// INFERD_ASSIGN_OR_RETURN(auto x, F()): assigns the value of F(), a Result, to x, or returns its error.
#define INFERD_ASSIGN_OR_RETURN(decl, expr) \
  INFERD_ASSIGN_OR_RETURN_(INFERD_CONCAT(inferd_result_, __LINE__), decl, expr)
#define INFERD_ASSIGN_OR_RETURN_(tmp, decl, expr)                                         \
  auto tmp = (expr);                                                                      \
  if (!tmp.has_value()) return ::inferd::base::internal::AsError(std::move(tmp).error()); \
  decl = *std::move(tmp)

namespace inferd::base::internal {

// Converts to both Status and any Result<T>.
class AsError {
 public:
  explicit AsError(Status status) : status_(std::move(status)) {}
  operator Status() && { return std::move(status_); }  // NOLINT(google-explicit-constructor)
  template <typename T>
  operator Result<T>() && {  // NOLINT(google-explicit-constructor)
    return std::unexpected(std::move(status_));
  }

 private:
  Status status_;
};

}  // namespace inferd::base::internal
