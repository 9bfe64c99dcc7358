#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace inferd::net::http1 {

// Returns "OK" for 200, and "Unknown" for an unknown code.
std::string_view ReasonPhrase(int status);

// The transport's additions to a response's own headers.
struct ResponseFraming {
  std::optional<uint64_t> content_length;  // if absent and not chunked, neither header is sent (204, 304, until close)
  bool chunked = false;
  bool close = false;
  bool http10 = false;                         // then keep-alive is stated explicitly
  const HeaderList* answer_headers = nullptr;  // BodyPlan::answer_headers
  std::string_view request_id = {};            // the request's, which is repeated; empty if none
};

// Writes response heads. Caches the Date line of the current second. Loop-bound.
class ResponseHeadWriter final {
 public:
  // Appends a head to `out`. Replaces line-ending bytes in header names and values by spaces.
  void Write(const HttpResponse& response, const ResponseFraming& framing, std::string& out);

 private:
  std::string_view DateLine();

  std::time_t date_second_ = 0;
  std::string date_line_;
};

}  // namespace inferd::net::http1
