#include "net/grpc/call_context.h"

#include "net/grpc/metadata.h"

namespace inferd::net::grpc {

base::Result<std::optional<std::string>> CallContext::FindBinary(std::string_view name) const {
  auto values = head.Find(name);
  if (!values.has_value()) return std::nullopt;
  auto bytes = DecodeBase64(NextValue(*values));
  if (!bytes.has_value())
    return std::unexpected(base::InvalidArgument("metadata " + std::string(name) + " is no base64"));
  return bytes;
}

}  // namespace inferd::net::grpc
