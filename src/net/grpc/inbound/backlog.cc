#include "net/grpc/inbound/backlog.h"

#include <cstdint>
#include <optional>

namespace inferd::net::grpc {

bool Backlog::Append(std::span<const std::byte> bytes) {
  constexpr uint64_t kUnlimited = UINT64_MAX / 4;  // the client's window is the limit
  if (kept_.size() == 0) kept_ = Body(bodies_, std::nullopt, kUnlimited, 0);
  return kept_.Append(bytes) == Body::Fill::kOk;
}

std::span<const std::byte> Backlog::Front() {
  if (unread_.empty()) unread_ = kept_.Finish();
  return unread_.bytes();
}

}  // namespace inferd::net::grpc
