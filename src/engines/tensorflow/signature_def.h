#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/tensorflow/tf.h"

namespace inferd::tensorflow {

// One input or output of a signature: the clients' name, and the graph's tensor.
struct TensorInfo {
  std::string name;
  std::string tensor;     // "serving_default_x:0"; empty if it is not a dense tensor (sparse, ragged)
  TF_DataType type = {};  // DT_INVALID
  bool known_rank = true;
  std::vector<int64_t> shape;  // -1 for any size
};

// A function of a SavedModel (meta_graph.proto, SignatureDef). Tensors are ordered by name.
struct SignatureDef {
  std::string name;
  std::string method;  // "tensorflow/serving/predict"
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::map<std::string, std::string> defaults = {};  // for optional inputs: serialized TensorProtos
};

// The users of signatures: kTensorFlow's are operations that run when the model is loaded, and state of training.
enum class SignatureUse { kClients, kTensorFlow };

// Returns the type of the values behind a reference, as variables of TensorFlow 1 have it; other types unchanged.
TF_DataType WithoutReference(TF_DataType type);

// Returns the signatures of a serialized MetaGraphDef for that use, ordered by name. INVALID_ARGUMENT if it is not such
// a message.
base::Result<std::vector<SignatureDef>> ReadSignatureDefs(std::string_view meta_graph,
                                                          SignatureUse use = SignatureUse::kClients);

// Moves the signature `wanted` to the front, whatever the order of the others. If `wanted` is empty: "serving_default",
// or else the first. INVALID_ARGUMENT, with the existing names, if there is none.
base::Status PutFirst(std::string_view wanted, std::vector<SignatureDef>& signatures);

}  // namespace inferd::tensorflow
