#pragma once

#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/wire/reader.h"

namespace inferd::oip_grpc {

// Decodes InferTensorContents directly into a tensor of `type` (BYTES packed). `parts` are the messages on the wire for
// the one field, in order: protobuf merges them. Memory is allocated after the elements were counted, never by a
// shape's claim.
//
// INVALID_ARGUMENT, in words that follow a tensor's name and a colon, for malformed parts, a type without typed
// contents, elements in a field of another type, or an element that the type cannot hold.
base::Result<base::Buffer> ReadTypedContents(std::span<const wire::Reader> parts, tensor::DataType type);

}  // namespace inferd::oip_grpc
