#pragma once

#include <openvino/core/model.hpp>

#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/openvino/tflite_names.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// How the model's file names tensors.
struct FileNames {
  bool graph = false;     // as ChooseNames has it
  TfliteNames lite = {};  // go before all others
};

// One input or output of a model, at its place among them.
struct OvTensor {
  std::string name;
  ov::element::Type type;
  int32_t datatype = INFERD_TYPE_INVALID;
  std::vector<int64_t> shape;  // -1: any size
  bool known_rank = true;
  bool fixed = false;  // no dimension is of any size
};

// What a model takes and gives, in the ABI's form too. Immutable.
class OvSignature final {
 public:
  // INVALID_ARGUMENT: a tensor cannot be served.
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
