#pragma once

#include <climits>

#include "base/status.h"
#include "net/grpc/responder.h"

// Conversion between protobuf's generated classes and the bytes of a call. These are templates, so that this room does
// not depend on protobuf.

namespace inferd::net::grpc {

// INVALID_ARGUMENT if the bytes are not such a message, or if one of its strings is not UTF-8.
template <typename Generated>
base::Result<Generated> Decode(const base::BufferSlice& bytes) {
  Generated message;
  if (bytes.size() > INT_MAX || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return std::unexpected(base::InvalidArgument("the request cannot be read as a " + message.GetTypeName()));
  }
  return message;
}

template <typename Generated>
Message Encode(const Generated& message) {
  const size_t size = message.ByteSizeLong();
  if (size == 0) return {};
  base::Buffer buffer = base::Buffer::Allocate(size);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(buffer.data()));
  return {base::BufferSlice(std::move(buffer))};
}

}  // namespace inferd::net::grpc
