#pragma once

#include <optional>
#include <string_view>

#include "base/status.h"
#include "json/reader.h"

namespace inferd::oip_http {

// Reads an object and calls `member(key)` at each member's value, which it must consume. Returns the first error.
template <typename Member>
base::Status ReadObject(json::Reader& reader, Member member) {
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
    if (!key) return {};
    INFERD_RETURN_IF_ERROR(member(*key));
  }
}

// A whole body that is one object; an empty body is an empty one.
template <typename Member>
base::Status ReadBody(std::string_view body, Member member) {
  if (body.empty()) return {};
  json::Reader reader(body);
  INFERD_RETURN_IF_ERROR(ReadObject(reader, [&](std::string_view key) { return member(reader, key); }));
  return reader.Finish();
}

}  // namespace inferd::oip_http
