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
  // Inputs: a request may leave it out. Outputs: it comes only where a request names it, or where all are such.
  bool optional = false;
  std::vector<std::string> labels = {};  // outputs: class index to label; empty: none
  // What the engine sees, the batch dimension aside, where that is not `shape` (ModelTensorReshape).
  std::optional<tensor::Shape> reshape = std::nullopt;
  bool ragged = false;          // inputs: requests of different shapes share a batch, as one row of elements
  bool padded = false;          // inputs: they share a batch, each filled up to the largest of them
  bool any_shape = false;       // `shape` is the usual one: the model says whether it takes another
  std::string graph_name = {};  // inside the model, where that is not `name`
  // The scheduler does not look at the bytes: they may be in memory of a device, of an input where the engine takes
  // them there. All others are brought to the CPU.
  bool takes_device_memory = false;
  bool unknown_rank = false;  // the model does not say how many dimensions there are: `shape` is [], and any_shape
  // Of an engine's outputs: the model's file declares `shape`, and an execution may give another one.
  bool shape_is_hint = false;
  // Of an engine's signature: what the model's file calls its dimensions of any size, empty where one is a number or
  // has no name; as many as dimensions, or none.
  std::vector<std::string> dimension_names = {};
  // Inputs: what the model takes where a request leaves it out, in the model format's own form (a serialized
  // tensorflow.TensorProto); empty: it does not say.
  std::string default_value = {};
  bool any_datatype = false;  // inputs: `datatype` is the usual one, and the model says whether it takes another
  // It is optional, metadata do not show it, and it stands behind all tensors that they show. Inputs: a request that
  // brings alternative inputs need not bring the others. Outputs: only such a request may name it.
  bool alternative = false;
  bool carries_body = false;    // alternatives: clients cannot name it, only a front-end (InferRequest::whole_body)
  bool may_be_missing = false;  // outputs: a response may come without it
  bool unchecked = false;       // outputs: a response may have another datatype and shape than those above
};

// Returns the shape that metadata show: `spec.shape`, or [-1] where the rank is unknown. [] would be a scalar.
const tensor::Shape& ShownShape(const TensorSpec& spec);

// The most parts that one request is split into: it may take no more of a queue than this.
inline constexpr int64_t kSplitPartsMax = 512;

// What a loaded version takes and gives. Immutable once the version serves; its indices name tensors towards engines.
struct ModelSignature {
  // By which clients of some protocols choose among a version's signatures, and what kind of answer it gives, in the
  // words of the model's format; empty: it does not say.
  std::string name = {};
  std::string method_name = {};
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  bool any_input_name = false;  // the first input of a request is the only one of the model, whatever its name is
  bool accepts_larger_requests = false;  // a request may bring more rows than max_batch_size: it is executed alone
  // A request may bring up to kSplitPartsMax times max_batch_size rows: it is executed as parts, whose outputs are
  // joined along the batch dimension. Goes before accepts_larger_requests.
  bool splits_larger_requests = false;
  int64_t max_batch_size = 0;  // 0: shapes carry no batch dimension of ours
  bool decoupled = false;      // a request may have any number of responses; otherwise exactly one
  bool sequences = false;      // requests may belong to sequences: the model keeps something from one to the next
  bool only_shown = false;     // by metadata: nobody can ask for it, and its tensors may have no datatype
  // Of one that is only shown: what clients are told that ask for it; empty: there is no such signature for them.
  std::string not_served = {};

  int FindInput(std::string_view tensor_name) const;   // -1: none
  int FindOutput(std::string_view tensor_name) const;  // -1: none

  // Returns the signature without its alternative tensors: what metadata show.
  ModelSignature Shown() const;
};

}  // namespace inferd::core
