#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"
#include "protocols/rest/event_form.h"

namespace inferd::oip_http {

// What the head of an infer request says about its body.
struct InferHeaders {
  std::optional<uint64_t> json_bytes;  // Inference-Header-Content-Length; 0: a raw binary request
  net::ContentCoding coding = net::ContentCoding::kIdentity;  // the body's
  net::ContentCoding answer = net::ContentCoding::kIdentity;  // the response's, if it is worth it
  rest::EventForm events = rest::EventForm::kNone;            // the responses go out as they come
};

// INVALID_ARGUMENT: an Inference-Header-Content-Length that is no number, stands twice, or is beyond a plain body's
// Content-Length. The coding's error is told by `unknown_coding`, for it is the transport's 415.
base::Result<InferHeaders> ReadInferHeaders(const net::RequestHead& head, bool& unknown_coding);

}  // namespace inferd::oip_http
