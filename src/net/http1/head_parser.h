#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "net/http/limits.h"

// The head of an HTTP/1.x request (RFC 9112), read strictly: whatever two readers could take in two ways is refused.

namespace inferd::net::http1 {

// Why a request is answered by the transport itself.
struct HttpError {
  int status = 400;
  std::string message;
};

// Finds the end of a head that arrives in pieces; each byte is looked at once. Immediate errors: lines that end in a
// bare LF, 414, 431.
class HeadScanner final {
 public:
  enum class State { kMore, kDone, kError };

  explicit HeadScanner(const Limits& limits) : limits_(limits) {}

  // `input`: all that has arrived since the last Reset.
  State Scan(std::string_view input);
  // kDone: the head is input[begin, end); empty lines before it are skipped (RFC 9112, 2.2).
  size_t begin() const { return begin_; }
  size_t end() const { return line_; }
  const HttpError& error() const { return error_; }
  void Reset();
  // Nothing has been looked at since the last Reset.
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

// What a head says of the connection and of the body behind it.
struct Framing {
  bool http10 = false;
  bool keep_alive = true;
  bool chunked = false;
  bool expect_continue = false;
  bool upgrade_h2c = false;         // "Upgrade: h2c" with all that RFC 7540, 3.2 asks for
  std::string_view http2_settings;  // base64url, with upgrade_h2c
};

// Parses a whole head (through its empty line) into `head`, which is empty before, and whose views point into `text`.
// Afterwards it has one Host, of the target or as sent, which ParseHost takes; with HTTP/1.0, perhaps none.
std::expected<Framing, HttpError> ParseHead(std::string_view text, const Limits& limits, RequestHead& head);

}  // namespace inferd::net::http1
