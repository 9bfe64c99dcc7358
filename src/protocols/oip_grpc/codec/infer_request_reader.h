#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// A ModelInferRequest, taken apart. `request` lacks what the call says (times, trace, cancel flag).
struct DecodedRequest {
  std::unique_ptr<core::InferRequest> request;
  bool typed_contents = false;  // every input came with `contents`
};

// Reads the bytes of an inference.ModelInferRequest without the generated classes. Tensors of `raw_input_contents`
// become views into `message`; typed `contents` are decoded straight into a tensor of their own. What is on the wire
// means what protobuf says it means: fields in any order, packed or not, unknown ones skipped, the last of a single
// field taken, parts of `contents` merged, strings UTF-8.
//
// INVALID_ARGUMENT, naming the tensor, expected and got: no protobuf, both raw and typed data, FP16 or BF16 typed,
// contents of a field that the datatype does not name, an element out of its type's range, a wrong number of raw
// tensors (one for each input that names no shared memory), a negative or overflowing shape, more than
// tensor::kRankMax dimensions, v2::kTensorsMax tensors or v2::kParametersMax parameters. How many elements a shape asks
// for is core's check. Pure; runs on any thread.
base::Result<DecodedRequest> ReadInferRequest(const base::BufferSlice& message);

// Where the first payload of raw_input_contents starts in a message with this beginning, for
// net::grpc::Method::align_at; 0 if the beginning does not show it.
size_t TensorBytesAt(std::span<const std::byte> beginning);

}  // namespace inferd::oip_grpc
