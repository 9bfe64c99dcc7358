#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/http.h"
#include "net/http/limits.h"
#include "net/http/session.h"

namespace inferd::net::http2 {

// Builds a RequestHead from a request's header fields as they arrive, within the limits. nghttp2 has checked that they
// are well-formed (RFC 9113, 8.2 and 8.3). Loop-bound.
class HeaderBlock {
 public:
  // `limits` and `head` must live as long as calls are made.
  HeaderBlock(const Limits& limits, RequestHead& head);

  // Adds a field. Beyond the limits it stores nothing, so that a block that decompresses to a large size costs no
  // memory.
  void Add(std::string_view name, std::string_view value);

  // The reason for which the request must be refused: an HTTP status and a text.
  struct Refusal {
    int status = 0;  // 0 if it need not be refused
    std::string text;
  };

  // Call once, after the last field.
  Refusal Finish(const ConnectionEnds& ends, bool tls);
  // Returns the memory of the head's views.
  std::shared_ptr<const void> TakeStore() { return std::move(store_); }

 private:
  struct Store;

  void AddPseudo(std::string_view name, std::string_view value);
  void AddField(std::string_view name, std::string_view value);
  // Makes a request malformed that has a Host and an ":authority" which name different hosts (RFC 9113, 8.3.1).
  void CompareHost();

  const Limits& limits_;
  RequestHead& head_;
  std::shared_ptr<Store> store_;
  std::string_view path_;
  std::string_view authority_;
  bool has_host_ = false;
  size_t count_ = 0;
  size_t bytes_ = 0;  // counted like a header list in RFC 9113, 6.5.2
  Refusal refusal_;
};

}  // namespace inferd::net::http2
