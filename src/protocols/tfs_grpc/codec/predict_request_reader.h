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

// Reads the tensors and the output_filter of a tensorflow.serving.PredictRequest without the generated classes;
// ReadModelSpecOf() reads its ModelSpec. `request` lacks the facts of the ModelSpec and the call. Inputs are in the
// signature's order. The wire format is interpreted like protobuf does: fields in any order, packed or not, unknown
// ones skipped, of a map's entries the last one of each key, parts of messages merged, strings in UTF-8.
//
// INVALID_ARGUMENT for malformed protobuf; in TensorFlow Serving's words, for inputs, outputs and datatypes that differ
// from the signature's; and "tensor parsing error: <input>: .." with ReadTensor()'s errors. For `fill_bytes_max` see
// Options. core checks whether the model accepts the shapes. Pure; runs on any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadPredictRequest(const base::BufferSlice& message,
                                                                     const core::ModelSignature& signature,
                                                                     uint64_t fill_bytes_max);

// Returns the offset of the first tensor's bytes, if they are contiguous, in a message with this beginning, for
// net::grpc::Method::align_at. 0 if the beginning does not show it.
size_t TensorBytesAt(std::span<const std::byte> beginning);

// Returns an upper bound of the bytes that must be decoded element by element. It does not look beyond a great many
// single elements.
size_t BytesToDecode(std::string_view message);

}  // namespace inferd::tfs_grpc
