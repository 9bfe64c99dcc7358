#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "base/buffer.h"
#include "net/grpc/responder.h"

namespace inferd::net::grpc {

// The first byte of a frame in a response's body.
enum class FrameFlag : uint8_t {
  kPlain = 0,
  kCompressed = 1,
  kTrailers = 0x80,  // gRPC-Web: the frame holds the trailers, not a message
};

// The maximum size of a message: its length has four bytes.
inline constexpr uint64_t kMessageBytesMax = UINT32_MAX;

uint64_t BytesOf(const Message& message);

// Appends a "Length-Prefixed-Message" of at most kMessageBytesMax. Copies short pieces into one piece with the prefix;
// passes on the rest without a copy.
void AppendFrame(Message&& message, FrameFlag flag, boost::container::small_vector_base<base::BufferSlice>& out);

}  // namespace inferd::net::grpc
