#include "kserve/apiserver/http/caller.h"

#include <string>

#include "net/http/socket_owner.h"

namespace inferd::apiserver {

std::optional<ApiError> RefusalOfCaller(const net::RequestHead& head) {
  if (head.over_unix_socket()) return std::nullopt;
  const auto own = net::IsOwnUsers(head);
  if (own.has_value() && *own) return std::nullopt;
  std::string why = "this API is for processes of its controller's user and of root on this machine";
  if (!head.local.empty() && !own.has_value()) why += "; " + own.error().message();
  return ApiError{.code = 403, .reason = "Forbidden", .message = std::move(why)};
}

}  // namespace inferd::apiserver
