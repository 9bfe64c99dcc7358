#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/wire/reader.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_grpc {

// Reads a tensorflow.TensorProto into the type, shape and data of `tensor`. `parts` are the messages on the wire for
// it, in order: protobuf merges them. They are parts of `message`. tensor_content, and floats in one packed run, become
// views into it; other elements are decoded directly into a tensor of their own. If there are fewer elements than the
// shape requires, the last one fills the rest, or zero if there is none. The fill's bytes are subtracted from
// `fill_bytes_left`.
//
// INVALID_ARGUMENT, in words that follow a tensor's name and a colon, for malformed protobuf, a dtype that no tensor
// here has, a shape of unknown rank, one with negative or too many dimensions or that overflows, too many elements, an
// element that its type cannot hold, and a tensor_content of another size. RESOURCE_EXHAUSTED if `fill_bytes_left` is
// too small. Pure; any thread.
base::Status ReadTensor(const base::BufferSlice& message, std::span<const wire::Reader> parts,
                        uint64_t& fill_bytes_left, core::InferTensor& tensor);

}  // namespace inferd::tfs_grpc
