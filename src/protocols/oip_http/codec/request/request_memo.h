#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/oip_http/codec/request/request_json.h"

namespace inferd::oip_http {

// Caches ReadRequestJson() for repeated texts: clients that send tensors as bytes send the same JSON before them with
// every request. The result depends only on the text's bytes and `depth_max`, so a text that is byte by byte equal to a
// cached one need not be parsed. Not thread-safe.
//
// A text is cached when it is parsed twice without another text in its place between. Texts that never repeat cost one
// hash, and evict nothing. Errors, and texts with tensors' numbers, are not cached.
class RequestMemo final {
 public:
  static constexpr size_t kTextMax = 2048;  // longer texts are always parsed
  static constexpr size_t kPlaces = 8;

  // `triton_exact`: as ReadRequestJson has it.
  base::Result<RequestJson> Read(std::string_view text, size_t depth_max, bool triton_exact = false);

  // Returns the number of texts that were not parsed.
  size_t hits() const { return hits_; }

 private:
  struct Place {
    std::string text;
    size_t depth_max = 0;
    RequestJson json;      // of `text`; no request if none is cached
    size_t candidate = 0;  // hash of the last text that was parsed here
  };

  std::array<Place, kPlaces> places_;
  size_t hits_ = 0;
};

}  // namespace inferd::oip_http
