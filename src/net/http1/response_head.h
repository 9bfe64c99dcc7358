#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace inferd::net::http1 {

// "OK" for 200; "Unknown" for a code we have no phrase for.
std::string_view ReasonPhrase(int status);

// What the transport adds to a response's own headers.
struct ResponseFraming {
  std::optional<uint64_t> content_length;  // absent with chunked false: neither is sent (204, 304, until close)
  bool chunked = false;
  bool close = false;
  bool http10 = false;                         // then keeping the connection is said aloud
  const HeaderList* answer_headers = nullptr;  // BodyPlan::answer_headers
  std::string_view request_id = {};            // the request's, which is repeated; empty: none
};

// Writes response heads. Keeps the Date line of the current second. Loop-bound.
class ResponseHeadWriter final {
 public:
  // Appends to `out`. Bytes that would end a line are replaced in header names and values by spaces.
  void Write(const HttpResponse& response, const ResponseFraming& framing, std::string& out);

 private:
  std::string_view DateLine();

  std::time_t date_second_ = 0;
  std::string date_line_;
};

}  // namespace inferd::net::http1
