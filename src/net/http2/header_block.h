#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/limits.h"

namespace inferd::net::http2 {

// A request's header fields while they arrive. nghttp2 has checked that they are well-formed (RFC 9113, 8.2 and 8.3);
// this holds them to the limits and makes a RequestHead of them. Loop-bound.
class HeaderBlock {
 public:
  HeaderBlock();

  // Beyond the limits nothing is kept, so that a block which decompresses to much costs no memory.
  void Add(std::string_view name, std::string_view value, const Limits& limits);

  // Why the request is refused as it stands: an HTTP status and a text.
  struct Refusal {
    int status = 0;  // 0: none
    std::string text;
  };

  // Once, after the last field. `head`'s views point into store().
  Refusal Finish(std::string_view peer, bool tls, RequestHead& head);
  std::shared_ptr<const void> store() const { return text_; }

 private:
  struct Field {
    size_t name_at, name_size, value_at, value_size;
  };

  Field Keep(std::string_view name, std::string_view value);
  std::string_view NameOf(const Field& f) const { return std::string_view(*text_).substr(f.name_at, f.name_size); }
  std::string_view ValueOf(const Field& f) const { return std::string_view(*text_).substr(f.value_at, f.value_size); }

  std::shared_ptr<std::string> text_;
  std::vector<Field> fields_;
  size_t bytes_ = 0;  // as RFC 9113, 6.5.2 counts a header list
  Refusal refusal_;
};

}  // namespace inferd::net::http2
