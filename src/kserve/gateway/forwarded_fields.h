#pragma once

#include <span>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/upstream/response_head.h"

namespace inferd::gateway {

// The header fields with which a request goes on to a replica: its own but those of the connection (RFC 9110, 7.6.1),
// with the client's address behind those in X-Forwarded-For, and X-Forwarded-Proto where it has none. Lives as long as
// the head.
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

// Whether a field of a replica's response goes on to the client: the transport writes Date, and repeats a request's
// identifier.
bool IsRelayed(std::string_view name, const net::RequestHead& request);

// A target without what its path begins with: "/serving/ns/m/v1/models?x=1" without "/serving/ns/m". Never empty.
std::string StripPrefix(std::string_view target, std::string_view prefix);

}  // namespace inferd::gateway
