#include "kserve/gateway/forwarded_fields.h"

#include "base/text/ascii_case.h"
#include "net/http/connection_fields.h"

namespace inferd::gateway {

namespace {

using base::EqualWithoutCase;

constexpr std::string_view kForwardedFor = "X-Forwarded-For";
constexpr std::string_view kForwardedProto = "X-Forwarded-Proto";

// True for headers of the connection, and for those that the transport has handled. The other connection has its own.
bool StaysBehind(std::string_view name) {
  return net::IsOfConnection(name) || base::EqualWithoutCase(name, "Expect") ||
         base::EqualWithoutCase(name, "HTTP2-Settings");
}

std::string_view HostOf(std::string_view peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace

ForwardedFields::ForwardedFields(const net::RequestHead& head) {
  const std::string_view connection = head.Find("Connection").value_or("");
  bool has_proto = false;
  for (const auto& [name, value] : head.headers) {
    if (StaysBehind(name) || (!connection.empty() && net::ListNames(connection, name))) continue;
    if (base::EqualWithoutCase(name, kForwardedFor)) {
      forwarded_for_.append(forwarded_for_.empty() ? "" : ", ").append(value);
      continue;
    }
    has_proto |= base::EqualWithoutCase(name, kForwardedProto);
    fields_.emplace_back(name, value);
  }
  forwarded_for_.append(forwarded_for_.empty() ? "" : ", ").append(HostOf(head.peer));
  fields_.emplace_back(kForwardedFor, forwarded_for_);
  if (!has_proto) fields_.emplace_back(kForwardedProto, head.tls ? "https" : "http");
}

bool IsRelayed(std::string_view name, const net::RequestHead& request) {
  if (base::EqualWithoutCase(name, "Date")) return false;
  return request.request_id.empty() || !base::EqualWithoutCase(name, "X-Request-Id");
}

std::string StripPrefix(std::string_view target, std::string_view prefix) {
  if (!target.starts_with(prefix)) return std::string(target);
  target.remove_prefix(prefix.size());
  return target.starts_with('/') ? std::string(target) : "/" + std::string(target);
}

}  // namespace inferd::gateway
