#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "net/compression/content_coding.h"
#include "net/http/http.h"
#include "protocols/rest/event_form.h"

namespace inferd::oip_http {

// The statements of an infer request's head about its body.
struct InferHeaders {
  std::optional<uint64_t> json_bytes;  // Inference-Header-Content-Length; 0 for a raw binary request
  net::ContentCoding coding = net::ContentCoding::kIdentity;  // the body's
  net::ContentCoding answer = net::ContentCoding::kIdentity;  // the response's, if it is worth compressing
  rest::EventForm events = rest::EventForm::kNone;            // how responses are streamed, if they are
};

// INVALID_ARGUMENT if Inference-Header-Content-Length is not a number, is repeated, or exceeds a plain body's
// Content-Length. For an error of the coding, sets `unknown_coding`: it is the transport's 415.
base::Result<InferHeaders> ReadInferHeaders(const net::RequestHead& head, bool& unknown_coding);

// Checks the size of a request's JSON, or of the only tensor of a raw request. INVALID_ARGUMENT in Triton's words if it
// exceeds `bytes_max`, unless that is 0. `option` is the one that sets the limit.
base::Status CheckInputSize(uint64_t bytes, uint64_t bytes_max, bool raw, std::string_view option);

}  // namespace inferd::oip_http
