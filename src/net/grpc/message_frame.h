#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

#include "base/buffer.h"
#include "net/grpc/responder.h"

namespace inferd::net::grpc {

// The first byte of what stands in a response's body.
enum class FrameFlag : uint8_t {
  kPlain = 0,
  kCompressed = 1,
  kTrailers = 0x80,  // gRPC-Web: not a message but the trailers
};

// What a message may hold: its length has four bytes.
inline constexpr uint64_t kMessageBytesMax = UINT32_MAX;

uint64_t BytesOf(const Message& message);

// Appends a "Length-Prefixed-Message" of at most kMessageBytesMax. What is short goes into one piece with the prefix,
// by copy; the rest is passed on as it is.
void AppendFrame(Message&& message, FrameFlag flag, boost::container::small_vector_base<base::BufferSlice>& out);

}  // namespace inferd::net::grpc
