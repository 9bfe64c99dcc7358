#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_grpc {

// Reads the tensors and the output_filter of a tensorflow.serving.PredictRequest without the generated classes; its
// ModelSpec is ReadModelSpecOf's. `request` lacks what that and the call say. Inputs come in the signature's order.
// What is on the wire means what protobuf says it means: fields in any order, packed or not, unknown ones skipped, of a
// map's entries the last one of each key, parts of messages merged, strings UTF-8.
//
// INVALID_ARGUMENT: no protobuf; in TensorFlow Serving's words, inputs and outputs that are not the signature's, and
// datatypes; "tensor parsing error: <input>: .." with ReadTensor's errors. `fill_bytes_max` is Options's. Whether the
// model takes the shapes is core's check. Pure; runs on any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadPredictRequest(const base::BufferSlice& message,
                                                                     const core::ModelSignature& signature,
                                                                     uint64_t fill_bytes_max);

// Where the bytes of the first tensor start, if they stand in one run, in a message with this beginning, for
// net::grpc::Method::align_at; 0 if the beginning does not show it.
size_t TensorBytesAt(std::span<const std::byte> beginning);

// No less than the bytes that have to be decoded element by element: what stands behind a great many single elements is
// not looked at.
size_t BytesToDecode(std::string_view message);

}  // namespace inferd::tfs_grpc
