#pragma once

#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/tensor/data_type.h"
#include "data/wire/reader.h"

namespace inferd::oip_grpc {

// Decodes InferTensorContents straight into a tensor of `type` (BYTES packed). `parts` are the messages that the wire
// holds for the one field, in order: protobuf merges them. The memory is taken once the elements are counted, never by
// what a shape promises.
//
// INVALID_ARGUMENT, in words that follow a tensor's name and a colon: malformed parts, a type without typed contents,
// elements in a field that is not the type's, or one that the type cannot hold.
base::Result<base::Buffer> ReadTypedContents(std::span<const wire::Reader> parts, tensor::DataType type);

}  // namespace inferd::oip_grpc
