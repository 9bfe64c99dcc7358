#pragma once

#include <span>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/upstream/response_head.h"

namespace inferd::gateway {

// The headers of a request to a replica: the client's, without those of the connection (RFC 9110, 7.6.1), with the
// client's address appended to X-Forwarded-For, and with X-Forwarded-Proto if it was missing. Must not outlive the
// request's head.
class ForwardedFields final {
 public:
  explicit ForwardedFields(const net::RequestHead& head);
  ForwardedFields(const ForwardedFields&) = delete;
  ForwardedFields& operator=(const ForwardedFields&) = delete;

  std::span<const net::upstream::FieldView> list() const { return fields_; }

 private:
  net::upstream::FieldViews fields_;
  std::string forwarded_for_;
};

// Returns true if a response header is passed on to the client. The transport itself writes Date, and the request's
// identifier.
bool IsRelayed(std::string_view name, const net::RequestHead& request);

// Removes a prefix from the path: "/serving/ns/m/v1/models?x=1" without "/serving/ns/m". The result is never empty.
std::string StripPrefix(std::string_view target, std::string_view prefix);

}  // namespace inferd::gateway
