#include "net/grpc/inbound/message_assembler.h"

#include <algorithm>
#include <string>
#include <utility>

namespace inferd::net::grpc {

namespace {

constexpr std::byte kCompressedFlag{1};
// From this size on, align_at is asked where a message's bulk starts; this many bytes are enough to tell.
constexpr uint32_t kAlignedBytesMin = 4096;

}  // namespace

base::Status TooManyBytes() { return base::ResourceExhausted("too many request bytes in flight"); }

base::Result<std::optional<WireMessage>> MessageAssembler::Take(std::span<const std::byte>& bytes) {
  if (prefix_size_ < kPrefixBytes) {
    INFERD_RETURN_IF_ERROR(TakePrefix(bytes));
    if (prefix_size_ < kPrefixBytes) return std::nullopt;
  }
  INFERD_RETURN_IF_ERROR(TakeBytes(bytes));
  if (taken_ < size_) return std::nullopt;
  WireMessage message{.bytes = has_body_ ? body_.Finish() : base::BufferSlice(),
                      .compressed = prefix_[0] == kCompressedFlag};
  prefix_size_ = 0;
  has_body_ = false;
  return message;
}

base::Status MessageAssembler::TakePrefix(std::span<const std::byte>& bytes) {
  const size_t count = std::min(bytes.size(), kPrefixBytes - prefix_size_);
  std::copy_n(bytes.begin(), count, prefix_.begin() + static_cast<ptrdiff_t>(prefix_size_));
  bytes = bytes.subspan(count);
  prefix_size_ += count;
  if (prefix_size_ < kPrefixBytes) return base::OkStatus();

  if (prefix_[0] > kCompressedFlag) {
    return base::Internal("received message with invalid flags " + std::to_string(std::to_integer<int>(prefix_[0])));
  }
  if (prefix_[0] == kCompressedFlag && !rules_.compression) {
    return base::Internal("received compressed message without a grpc-encoding other than identity");
  }
  size_ = 0;
  for (size_t i = 1; i < kPrefixBytes; ++i) size_ = size_ << 8 | std::to_integer<uint32_t>(prefix_[i]);
  taken_ = 0;
  if (size_ > rules_.bytes_max) {
    return base::ResourceExhausted("Received message larger than max (" + std::to_string(size_) + " vs. " +
                                   std::to_string(rules_.bytes_max) + ")");
  }
  return base::OkStatus();
}

base::Status MessageAssembler::TakeBytes(std::span<const std::byte>& bytes) {
  const std::span<const std::byte> mine = bytes.first(std::min<size_t>(bytes.size(), size_ - taken_));
  bytes = bytes.subspan(mine.size());
  if (mine.empty()) return base::OkStatus();
  taken_ += static_cast<uint32_t>(mine.size());
  if (has_body_) return Append(mine);

  const bool aligned =
      rules_.align_at != nullptr && *rules_.align_at && size_ >= kAlignedBytesMin && prefix_[0] != kCompressedFlag;
  if (!aligned || (beginning_.empty() && taken_ >= kAlignedBytesMin)) {
    INFERD_RETURN_IF_ERROR(MakeBody(aligned ? mine : std::span<const std::byte>()));
    return Append(mine);
  }
  beginning_.insert(beginning_.end(), mine.begin(), mine.end());
  if (taken_ < kAlignedBytesMin) return base::OkStatus();
  INFERD_RETURN_IF_ERROR(MakeBody(beginning_));
  return Append(std::exchange(beginning_, {}));
}

base::Status MessageAssembler::MakeBody(std::span<const std::byte> beginning) {
  const size_t align_at = beginning.empty() ? 0 : std::min<size_t>((*rules_.align_at)(beginning), size_);
  body_ = Body(*bodies_, size_, rules_.bytes_max, align_at);
  has_body_ = true;
  return base::OkStatus();
}

base::Status MessageAssembler::Append(std::span<const std::byte> bytes) {
  if (body_.Append(bytes) == Body::Fill::kOk) return base::OkStatus();
  return TooManyBytes();
}

}  // namespace inferd::net::grpc
