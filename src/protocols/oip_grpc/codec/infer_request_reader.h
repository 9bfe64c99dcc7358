#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::oip_grpc {

// A decoded ModelInferRequest. `request` lacks the facts of the call (times, trace, cancel flag).
struct DecodedRequest {
  std::unique_ptr<core::InferRequest> request;
  bool typed_contents = false;  // every input had `contents`
};

// Reads the bytes of an inference.ModelInferRequest without the generated classes. Tensors of `raw_input_contents`
// become views into `message`; typed `contents` are decoded directly into a tensor of their own. The wire format is
// interpreted like protobuf does: fields in any order, packed or not, unknown ones skipped, the last of a single field
// used, parts of `contents` merged, strings in UTF-8.
//
// INVALID_ARGUMENT, naming the tensor, the expected and the actual value, for malformed protobuf, both raw and typed
// data, FP16 or BF16 in typed form, contents in a field that does not belong to the datatype, an element out of its
// type's range, a wrong number of raw tensors (one for each input without shared memory), a negative or overflowing
// shape, or more than tensor::kRankMax dimensions, v2::kTensorsMax tensors or v2::kParametersMax parameters. core
// checks the number of elements against the shape. Pure; runs on any thread.
base::Result<DecodedRequest> ReadInferRequest(const base::BufferSlice& message);

// Returns the offset of the first payload of raw_input_contents in a message with this beginning, for
// net::grpc::Method::align_at. 0 if the beginning does not show it.
size_t TensorBytesAt(std::span<const std::byte> beginning);

}  // namespace inferd::oip_grpc
