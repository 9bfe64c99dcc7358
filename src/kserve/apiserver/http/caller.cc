#include "kserve/apiserver/http/caller.h"

#include <string>
#include <string_view>

#include "base/text/ascii_case.h"
#include "net/http/socket_owner.h"

namespace inferd::apiserver {

namespace {

constexpr std::string_view kScheme = "Bearer ";

// Returns true if the request has exactly one Authorization header, with the token (RFC 6750, 2.1).
bool ShowsToken(const net::RequestHead& head, const net::SecretDigest& token) {
  std::string_view value = head.Find("Authorization").value_or("");
  if (!base::EqualWithoutCase(value.substr(0, kScheme.size()), kScheme)) return false;
  value.remove_prefix(kScheme.size());
  while (value.starts_with(' ')) value.remove_prefix(1);
  return net::SecretDigest(value).Matches(token);
}

}  // namespace

std::optional<ApiError> RefusalOfCaller(const net::RequestHead& head, const net::SecretDigest& token) {
  if (head.over_unix_socket()) return std::nullopt;
  if (!ShowsToken(head, token)) return UnauthorizedError();
  const auto own = net::IsOwnUsers(head);
  const bool unknown = !own.has_value() && own.error().code() == base::StatusCode::kUnavailable;
  if (!head.local.empty() && (unknown || own.value_or(false))) return std::nullopt;
  std::string why = "this API is for processes of its controller's user and of root on this machine";
  if (!head.local.empty() && !own.has_value()) why += "; " + own.error().message();
  return ApiError{.code = 403, .reason = "Forbidden", .message = std::move(why)};
}

}  // namespace inferd::apiserver
