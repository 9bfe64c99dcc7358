#pragma once

#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::net {

// Splits a request target into `head.segments` and `head.query` (RFC 9112, 3.2: origin form, absolute form, "*"). Each
// segment is percent-decoded separately, so that "%2F" stays within its segment. INVALID_ARGUMENT for a broken escape,
// a NUL, a segment "." or "..", a form without a path, an invalid host, and over HTTP/2 (`head.http2`) the absolute
// form.
// | Sets `head.target` to `target`, whose bytes must outlive the head. For the absolute form it is the part after the
// host, and the host is added to `head.headers` as Host: the caller must let it replace a Host that was sent (RFC 9112,
// 3.2.2).
base::Status ParseTarget(std::string_view target, RequestHead& head);

// Returns kOther for an unknown method. Case-sensitive (RFC 9110, 9.1).
Method MethodOf(std::string_view text);

}  // namespace inferd::net
