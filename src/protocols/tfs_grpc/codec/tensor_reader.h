#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "data/wire/reader.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_grpc {

// Reads a tensorflow.TensorProto into the type, shape and data of `tensor`. `parts` are the messages that the wire
// holds for it, in order: protobuf merges them. They are parts of `message`: tensor_content, and floats that stand
// packed in one run, become views into it; other elements are decoded straight into a tensor of their own. Fewer
// elements than the shape asks for: the last one stands for the rest, zero if there is none. What that adds is taken
// from `fill_bytes_left`.
//
// INVALID_ARGUMENT, in words that follow a tensor's name and a colon: no protobuf, a dtype that no tensor here has, a
// shape of unknown rank, one with negative or too many dimensions or that overflows, too many elements, one that its
// type cannot hold, a tensor_content of another size. RESOURCE_EXHAUSTED: `fill_bytes_left` does not suffice. Pure; any
// thread.
base::Status ReadTensor(const base::BufferSlice& message, std::span<const wire::Reader> parts,
                        uint64_t& fill_bytes_left, core::InferTensor& tensor);

}  // namespace inferd::tfs_grpc
