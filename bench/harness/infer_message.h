#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/input_value.h"

namespace inferd::bench {

// Returns a serialized ModelInferRequest with raw contents.
std::string InferMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs);

// Returns the same for a request of the sequence `id`. `start` is true for the first request of the sequence.
std::string SequenceMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs, int64_t id,
                            bool start);

// Returns the same for a model with one FP32 input INPUT0 of [1, elements] and an output OUTPUT0 of that size. The
// input is at the beginning of a shared memory region, and the output is written after it.
std::string RegionMessage(const std::string& model, const std::string& region, int64_t elements);

// Returns a serialized tensorflow.serving.PredictRequest with tensor_content. INVALID_ARGUMENT if an input is BYTES.
base::Result<std::string> PredictMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs);

// Returns the body of a TensorFlow Serving :predict, {"inputs": {NAME: [..], ..}}.
base::Result<std::string> PredictBody(const std::vector<ctl::NamedTensor>& inputs);

// The form of FP32 values in rows. kReals is how Python prints numpy's tolist(): the shortest decimal of the value as
// FP64 ("17 digits"). kWholes are whole numbers from 0 to 255, like the pixels of an image.
enum class RowNumbers { kReals, kWholes };

// Returns the body of a TensorFlow Serving :predict by rows, {"instances": [..]}. INVALID_ARGUMENT unless there is one
// input, of FP32 values from 0 to 1.
base::Result<std::string> PredictRows(const std::vector<ctl::NamedTensor>& inputs, RowNumbers numbers);

// A request of the TensorRT Inference Server: the value of NV-InferRequest, the body, and the gRPC message. It requests
// all outputs, in full. MakeTrtisRequest returns INVALID_ARGUMENT unless the model batches and all other dimensions are
// fixed.
struct TrtisRequest {
  std::string header;
  std::string body;
  std::string message;
};
base::Result<TrtisRequest> MakeTrtisRequest(const std::string& model, const std::vector<ctl::NamedTensor>& inputs,
                                            const std::vector<ctl::TensorSignature>& outputs);

// Returns the size of the ModelStreamInferResponse that holds a ModelInferResponse of `bytes`.
size_t StreamMessageBytes(size_t bytes);

}  // namespace inferd::bench
