#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/http/limits.h"

// Parser for the head of an HTTP/1.x request (RFC 9112). It is strict: it refuses everything that two readers could
// interpret differently.

namespace inferd::net::http1 {

// The reason for which the transport itself answers a request.
struct HttpError {
  int status = 400;
  std::string message;
};

// Finds the end of a head that arrives in pieces. Looks at each byte once. Reports these errors at once: lines that end
// in a bare LF, 414, 431.
class HeadScanner final {
 public:
  enum class State { kMore, kDone, kError };

  explicit HeadScanner(const Limits& limits) : limits_(limits) {}

  // `input` is everything that has arrived since the last Reset().
  State Scan(std::string_view input);
  // After kDone the head is input[begin, end). Empty lines before it are skipped (RFC 9112, 2.2).
  size_t begin() const { return begin_; }
  size_t end() const { return line_; }
  const HttpError& error() const { return error_; }
  void Reset();
  // True if nothing was scanned since the last Reset().
  bool fresh() const { return scanned_ == 0; }

 private:
  State Fail(int status, std::string message);
  State CheckUnfinished(std::string_view input);

  const Limits& limits_;
  size_t begin_ = 0;
  size_t line_ = 0;     // where the current line begins
  size_t scanned_ = 0;  // no LF in [line_, scanned_)
  size_t lines_ = 0;
  HttpError error_;
};

// A head's statements about the connection and the body.
struct Framing {
  bool http10 = false;
  bool keep_alive = true;
  bool chunked = false;
  bool expect_continue = false;
  bool upgrade_h2c = false;         // "Upgrade: h2c" with everything that RFC 7540, 3.2 requires
  std::string_view http2_settings;  // base64url, with upgrade_h2c
};

// Parses a complete head (including its empty line) into `head`, which must be empty. Its views point into `text`.
// Afterwards it has one Host, from the target or as sent, which ParseHost() accepts; with HTTP/1.0 it may have none.
std::expected<Framing, HttpError> ParseHead(std::string_view text, const Limits& limits, RequestHead& head);

}  // namespace inferd::net::http1
