#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/http2/stream/link.h"

namespace inferd::net::http2 {

// Submits the streams' output to nghttp2. Loop-bound. Does nothing after the connection has failed.
class Outbound {
 public:
  // `body_source` is where nghttp2 reads the body of a response.
  Outbound(Link& link, nghttp2_data_provider body_source) : link_(link), body_source_(body_source) {}

  // Call in the middle of a read.
  void SubmitContinue(int32_t id);

  // The parts of a response besides its own headers.
  struct Additions {
    std::optional<uint64_t> content_length;
    std::string_view request_id;                 // empty if none
    const HeaderList* answer_headers = nullptr;  // BodyPlan's; null if none
  };
  void SubmitResponse(int32_t id, const HttpResponse& response, const Additions& additions, bool has_body);
  // Call after the body, in the middle of a write.
  void SubmitTrailers(int32_t id, const Trailers& trailers);
  // Tells nghttp2 that the stream has more of its body, after it had to wait.
  void Resume(int32_t id);
  // Opens the stream's window for bytes that its OnData has kept.
  void Consume(int32_t id, size_t bytes);
  void Reset(int32_t id, uint32_t error_code);

 private:
  std::string_view Date();

  Link& link_;
  nghttp2_data_provider body_source_;
  int64_t date_s_ = 0;
  std::string date_;
};

}  // namespace inferd::net::http2
