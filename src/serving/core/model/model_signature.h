#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::core {

// An input or output of a model as clients see it: full shape, the batch dimension included as a leading -1 if the
// model batches.
struct TensorSpec {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape shape;
  // Inputs: a request may omit it. Outputs: it is in the response only if the request names it, or if all outputs are
  // optional.
  bool optional = false;
  std::vector<std::string> labels = {};  // outputs: labels by class index; empty if none
  // The shape for the engine, without the batch dimension, if it differs from `shape` (ModelTensorReshape).
  std::optional<tensor::Shape> reshape = std::nullopt;
  bool ragged = false;          // inputs: requests of different shapes share a batch, as one row of elements
  bool padded = false;          // inputs: requests of different shapes share a batch, each padded to the largest
  bool any_shape = false;       // `shape` is the usual one: the model itself checks any other
  std::string graph_name = {};  // the tensor's name inside the model, if it is not `name`
  // True if the scheduler does not read the bytes, so they may be in a device's memory (an input's, if the engine
  // accepts it there). All other tensors are copied to the CPU.
  bool takes_device_memory = false;
  bool unknown_rank = false;  // the model does not state the number of dimensions: `shape` is [], and any_shape is true
  // Outputs of an engine's signature: the model's file declares `shape`, but an execution may return another one.
  bool shape_is_hint = false;
  // In an engine's signature: the model file's names for its variable dimensions, one entry per dimension, empty for a
  // fixed or unnamed one. Or no entries at all.
  std::vector<std::string> dimension_names = {};
  // Inputs: the model's value for an input that a request omits, in the model format's own form (a serialized
  // tensorflow.TensorProto). Empty if the model states none.
  std::string default_value = {};
  bool any_datatype = false;  // inputs: `datatype` is the usual one; the model itself checks any other
  // An optional tensor that metadata do not show, after all shown tensors. Inputs: a request with alternative inputs
  // need not bring the others. Outputs: only such a request may name it.
  bool alternative = false;
  bool carries_body = false;    // alternatives: only a front-end can use it, not clients (InferRequest::whole_body)
  bool may_be_missing = false;  // outputs: a response may omit it
  bool unchecked = false;       // outputs: a response may have another datatype and shape than those above
};

// Returns the shape for metadata: `spec.shape`, or [-1] if the rank is unknown. [] would mean a scalar.
const tensor::Shape& ShownShape(const TensorSpec& spec);

// The maximum number of parts that one request is split into, and so the maximum of a queue that it may fill.
inline constexpr int64_t kSplitPartsMax = 512;

// The inputs and outputs of a loaded version. Immutable once the version serves. Engines name tensors by index in it.
struct ModelSignature {
  // The signature's name, by which clients of some protocols select it, and the kind of its results, both as the model
  // file states them. Empty if the file states none.
  std::string name = {};
  std::string method_name = {};
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  bool any_input_name = false;           // a request's first input is the model's only one, whatever its name
  bool accepts_larger_requests = false;  // a request may have more rows than max_batch_size: it is executed alone
  // A request may have up to kSplitPartsMax times max_batch_size rows: it is executed in parts, whose outputs are
  // joined along the batch dimension. Takes precedence over accepts_larger_requests.
  bool splits_larger_requests = false;
  int64_t max_batch_size = 0;  // 0 if shapes have no batch dimension that the server manages
  bool decoupled = false;      // a request may have any number of responses; otherwise exactly one
  bool sequences = false;      // requests may belong to sequences: the model keeps state from one to the next
  bool only_shown = false;     // only shown by metadata: requests cannot use it, and its tensors may have no datatype
  // If only_shown: the error text for clients that request it. Empty if clients get "no such signature".
  std::string not_served = {};

  int FindInput(std::string_view tensor_name) const;   // -1 if there is none
  int FindOutput(std::string_view tensor_name) const;  // -1 if there is none

  // Returns the signature for metadata: without its alternative tensors.
  ModelSignature Shown() const;
};

}  // namespace inferd::core
