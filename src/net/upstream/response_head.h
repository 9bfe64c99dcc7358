#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::net::upstream {

using FieldView = std::pair<std::string_view, std::string_view>;
using FieldViews = boost::container::small_vector<FieldView, 16>;

// The head of another server's response. Views are valid during the call that passes it.
struct ResponseHead {
  int status = 200;
  FieldViews fields;  // as sent, in order, without those of the connection and of the framing
  std::optional<uint64_t> content_length;
  bool has_body = true;
};

// The end of the body after a head, and the connection's state afterwards (RFC 9112, 6 and 9).
struct ResponseFraming {
  enum class Body { kNone, kLength, kChunked, kUntilClose };
  Body body = Body::kNone;
  bool keep_alive = true;
  bool interim = false;  // 1xx: another response follows
};

// Parses a complete head of HTTP/1.x, with its empty line, into `head`, whose views point into `text`. `to_head` is
// true if the request was HEAD. It refuses everything that two readers could interpret differently, so that one
// response cannot pass for two. The error says what is wrong.
std::expected<ResponseFraming, std::string> ParseResponseHead(std::string_view text, bool to_head, ResponseHead& head);

}  // namespace inferd::net::upstream
