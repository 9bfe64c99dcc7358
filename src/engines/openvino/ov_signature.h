#pragma once

#include <openvino/core/model.hpp>

#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/openvino/tflite_names.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// The model file's names for tensors.
struct FileNames {
  bool graph = false;     // as for ChooseNames()
  TfliteNames lite = {};  // these take precedence
};

// One input or output of a model, at its index among them.
struct OvTensor {
  std::string name;
  ov::element::Type type;
  int32_t datatype = INFERD_TYPE_INVALID;
  std::vector<int64_t> shape;  // -1 for any size
  bool known_rank = true;
  bool fixed = false;  // true if no dimension has any size
};

// A model's inputs and outputs, also in the ABI's form. Immutable.
class OvSignature final {
 public:
  // INVALID_ARGUMENT if a tensor cannot be served.
  static base::Result<OvSignature> Read(const ov::Model& model, const FileNames& names, int compute_threads);

  const std::vector<OvTensor>& inputs() const { return inputs_; }
  const std::vector<OvTensor>& outputs() const { return outputs_; }
  const inferd_signature* abi() const { return abi_.abi(); }

 private:
  OvSignature() = default;

  std::vector<OvTensor> inputs_;
  std::vector<OvTensor> outputs_;
  kit::TensorSignature abi_;
};

}  // namespace inferd::openvino
