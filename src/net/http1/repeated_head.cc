#include "net/http1/repeated_head.h"

namespace inferd::net::http1 {

Framing RepeatedHead::CopyTo(HttpRequest& request) const {
  request.head = kept_->head;
  request.store = kept_->store;
  return kept_->framing;
}

void RepeatedHead::Keep(std::string_view text, const HttpRequest& request, const Framing& framing) {
  if (text.size() > kBytesMax) return Forget();
  if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
  kept_->text = text;
  kept_->head = request.head;
  kept_->framing = framing;
  kept_->store = request.store;
}

}  // namespace inferd::net::http1
