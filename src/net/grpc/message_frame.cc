#include "net/grpc/message_frame.h"

#include <cstring>
#include <utility>

namespace inferd::net::grpc {

namespace {

constexpr size_t kPrefixBytes = 5;
// Copying this much is cheaper than a separate piece, which is a frame or an iovec.
constexpr size_t kCopiedBytesMax = 1024;

}  // namespace

uint64_t BytesOf(const Message& message) {
  uint64_t bytes = 0;
  for (const base::BufferSlice& piece : message) bytes += piece.size();
  return bytes;
}

void AppendFrame(Message&& message, FrameFlag flag, boost::container::small_vector_base<base::BufferSlice>& out) {
  size_t copied = 0;
  size_t first = 0;  // the first piece that is passed on without a copy
  while (first < message.size() && copied + message[first].size() <= kCopiedBytesMax) copied += message[first++].size();

  base::Buffer head = base::Buffer::Allocate(kPrefixBytes + copied);
  const uint64_t size = BytesOf(message);
  head.data()[0] = static_cast<std::byte>(flag);
  for (size_t i = 1; i < kPrefixBytes; ++i) head.data()[i] = static_cast<std::byte>(size >> (8 * (4 - i)) & 0xff);
  std::byte* end = head.data() + kPrefixBytes;
  for (size_t i = 0; i < first; ++i) {
    if (message[i].empty()) continue;
    std::memcpy(end, message[i].data(), message[i].size());
    end += message[i].size();
  }
  out.emplace_back(std::move(head));
  for (size_t i = first; i < message.size(); ++i) out.push_back(std::move(message[i]));
}

}  // namespace inferd::net::grpc
