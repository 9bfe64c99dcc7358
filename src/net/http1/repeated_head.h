#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "net/http1/head_parser.h"

namespace inferd::net::http1 {

// The last head of a connection, taken apart. Clients send the same bytes again and again, and the same bytes behind
// the same limits, from the same peer, mean the same: they are compared, and not read once more. Loop-bound.
class RepeatedHead final {
 public:
  // A longer head is read each time: what is kept counts for each connection.
  static constexpr size_t kBytesMax = 2048;

  // How many bytes the head has that `input` begins with, if it is the one that is kept; else 0. These bytes need no
  // HeadScanner: they end where it would say.
  size_t Match(std::string_view input) const {
    return kept_ != nullptr && input.starts_with(kept_->text) ? kept_->text.size() : 0;
  }
  // The kept head to a request that has none. Its views are of the memory that the request gets as its store.
  Framing CopyTo(HttpRequest& request) const;

  // `text`: what ParseHead() was given, in request.store, and has made request.head and `framing` of.
  void Keep(std::string_view text, const HttpRequest& request, const Framing& framing);
  // Gives the memory back.
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
