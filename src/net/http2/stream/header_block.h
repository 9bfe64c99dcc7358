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

// Makes a RequestHead of a request's header fields as they arrive, within the limits. nghttp2 has checked that they are
// well-formed (RFC 9113, 8.2 and 8.3). Loop-bound.
class HeaderBlock {
 public:
  // `limits` and `head` outlive this object, or at least its calls.
  HeaderBlock(const Limits& limits, RequestHead& head);

  // Beyond the limits nothing is kept, so that a block which decompresses to much costs no memory.
  void Add(std::string_view name, std::string_view value);

  // Why the request is refused as it stands: an HTTP status and a text.
  struct Refusal {
    int status = 0;  // 0: none
    std::string text;
  };

  // Once, after the last field.
  Refusal Finish(const ConnectionEnds& ends, bool tls);
  // What the head's views point into.
  std::shared_ptr<const void> TakeStore() { return std::move(store_); }

 private:
  struct Store;

  void AddPseudo(std::string_view name, std::string_view value);
  void AddField(std::string_view name, std::string_view value);
  // RFC 9113, 8.3.1: a Host beside ":authority" that names another host makes the request malformed.
  void CompareHost();

  const Limits& limits_;
  RequestHead& head_;
  std::shared_ptr<Store> store_;
  std::string_view path_;
  std::string_view authority_;
  bool has_host_ = false;
  size_t count_ = 0;
  size_t bytes_ = 0;  // as RFC 9113, 6.5.2 counts a header list
  Refusal refusal_;
};

}  // namespace inferd::net::http2
