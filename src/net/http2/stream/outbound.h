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

// What the streams of a connection have nghttp2 send. Loop-bound. After the connection has failed it does nothing.
class Outbound {
 public:
  // `body_source`: where nghttp2 reads the body of a response.
  Outbound(Link& link, nghttp2_data_provider body_source) : link_(link), body_source_(body_source) {}

  // In the middle of a read.
  void SubmitContinue(int32_t id);

  // What a response says besides its own headers.
  struct Additions {
    std::optional<uint64_t> content_length;
    std::string_view request_id;                 // empty: none
    const HeaderList* answer_headers = nullptr;  // BodyPlan's; null: none
  };
  void SubmitResponse(int32_t id, const HttpResponse& response, const Additions& additions, bool has_body);
  // Behind the body, in the middle of a write.
  void SubmitTrailers(int32_t id, const Trailers& trailers);
  // The stream has more of its body, after it had nghttp2 wait.
  void Resume(int32_t id);
  // Opens the stream's window by bytes that its OnData has kept.
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
