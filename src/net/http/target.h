#pragma once

#include <string_view>

#include "base/status.h"
#include "net/http/http.h"

namespace inferd::net {

// Splits a request target into `head.segments` and `head.query` (RFC 9112, 3.2: origin form, absolute form, "*"). Each
// segment is percent-decoded by itself, so "%2F" stays within one. INVALID_ARGUMENT: a broken escape, a NUL, a segment
// "." or "..", a form that names no path, a host that is none; over HTTP/2 (`head.http2`) the absolute form.
//
// `head.target` is set to `target`, whose bytes must outlive the head. Of the absolute form it is what stands behind the
// host, which is added to `head.headers` as Host: the caller has it replace a Host that was sent (RFC 9112, 3.2.2).
base::Status ParseTarget(std::string_view target, RequestHead& head);

// kOther for what we do not know; case-sensitive (RFC 9110, 9.1).
Method MethodOf(std::string_view text);

}  // namespace inferd::net
