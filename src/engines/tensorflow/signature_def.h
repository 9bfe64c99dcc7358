#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engines/tensorflow/tf.h"

namespace inferd::tensorflow {

// One input or output of a signature: the name that clients use, and the tensor of the graph behind it.
struct TensorInfo {
  std::string name;
  std::string tensor;     // "serving_default_x:0"; empty: no dense tensor (sparse, ragged)
  TF_DataType type = {};  // DT_INVALID
  bool known_rank = true;
  std::vector<int64_t> shape;  // -1: any size
};

// A function of a SavedModel (meta_graph.proto, SignatureDef). Tensors are in order of their names.
struct SignatureDef {
  std::string name;
  std::string method;  // "tensorflow/serving/predict"
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::map<std::string, std::string> defaults = {};  // of inputs that requests may leave out: serialized TensorProtos
};

// For whom signatures are: operations that run when the model is loaded, and what training keeps, are TensorFlow's own.
enum class SignatureUse { kClients, kTensorFlow };

// The type of the values behind a reference, as TensorFlow 1 has variables; other types are themselves.
TF_DataType WithoutReference(TF_DataType type);

// The signatures of a serialized MetaGraphDef that are for those, in order of their names. INVALID_ARGUMENT: it is no
// such message.
base::Result<std::vector<SignatureDef>> ReadSignatureDefs(std::string_view meta_graph,
                                                          SignatureUse use = SignatureUse::kClients);

// Puts the one called `wanted` first, whatever the order of the others. Without a wish: "serving_default", or the first
// there is. INVALID_ARGUMENT, with the names there are: there is none.
base::Status PutFirst(std::string_view wanted, std::vector<SignatureDef>& signatures);

}  // namespace inferd::tensorflow
