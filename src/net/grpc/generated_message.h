#pragma once

#include <climits>

#include "base/status.h"
#include "net/grpc/responder.h"

// Messages of the classes that protobuf generates, to and from the bytes of a call. Templates, so that this room needs
// no protobuf.

namespace inferd::net::grpc {

// INVALID_ARGUMENT: the bytes are no such message, or one of its strings is no UTF-8.
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
