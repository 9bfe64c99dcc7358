#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"
#include "protocols/oip_http/codec/request/request_json.h"

namespace inferd::oip_http {

// ReadRequestJson for texts that come again and again: clients that send tensors as bytes send the same JSON before
// them with every request. What a text means depends on nothing but its bytes and `depth_max`, so that a text which is
// equal byte by byte to one that is kept need not be read. Not thread-safe.
//
// A text is kept when it is read twice, with no reading of another in its place between: texts that never repeat cost a
// hash, and push nothing out by coming once. Errors are not kept, nor texts with tensors' numbers.
class RequestMemo final {
 public:
  static constexpr size_t kTextMax = 2048;  // a longer one is read
  static constexpr size_t kPlaces = 8;

  base::Result<RequestJson> Read(std::string_view text, size_t depth_max);

  // How many readings were saved.
  size_t hits() const { return hits_; }

 private:
  struct Place {
    std::string text;
    size_t depth_max = 0;
    RequestJson json;      // of `text`; no request: none is kept
    size_t candidate = 0;  // the hash of the text that was read here last
  };

  std::array<Place, kPlaces> places_;
  size_t hits_ = 0;
};

}  // namespace inferd::oip_http
