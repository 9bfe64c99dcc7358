#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "net/http1/head_parser.h"

namespace inferd::net::http1 {

// The last parsed head of a connection. Clients often repeat the same bytes. Under the same limits and from the same
// peer they mean the same, so they are compared instead of parsed again. Loop-bound.
class RepeatedHead final {
 public:
  // Longer heads are parsed each time, because every connection stores a head.
  static constexpr size_t kBytesMax = 2048;

  // Returns the length of the head at the start of `input` if it equals the kept head, else 0. These bytes need no
  // HeadScanner: it would find the same end.
  size_t Match(std::string_view input) const {
    return kept_ != nullptr && input.starts_with(kept_->text) ? kept_->text.size() : 0;
  }
  // Copies the kept head to a request that has none. Its views point into memory that becomes the request's store.
  Framing CopyTo(HttpRequest& request) const;

  // Keeps a head. `text`, in request.store, was passed to ParseHead(), which returned request.head and `framing`.
  void Keep(std::string_view text, const HttpRequest& request, const Framing& framing);
  // Frees the memory.
  void Forget() { kept_.reset(); }

 private:
  struct Kept {
    std::string_view text;
    RequestHead head;
    Framing framing;
    std::shared_ptr<const void> store;
  };

  std::unique_ptr<Kept> kept_;
};

}  // namespace inferd::net::http1
