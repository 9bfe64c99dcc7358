#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "engines/kit/tensor_signature.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// One input or output of a session.
struct OnnxTensor {
  std::string name;
  ONNXTensorElementDataType element_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  int32_t datatype = INFERD_TYPE_INVALID;
  size_t element_size = 0;           // 0 for strings
  bool known_rank = true;            // if false, `shape` is empty, and any rank is possible
  std::vector<int64_t> shape;        // -1 for symbolic or unknown
  std::vector<std::string> symbols;  // per dimension; empty if it is a number or has no name
  bool optional = false;
  std::vector<std::string> labels;  // for outputs: of the elements of a row; empty for none
  int same_input = -1;              // for outputs: the input that the graph lists as this output; -1 if there is none
};

// For each output; see PatchedGraph.
using OutputLabels = std::map<std::string, std::vector<std::string>, std::less<>>;

// A session's inputs and outputs, in the ABI's form. Inputs with a default (initializers that the graph also lists as
// inputs) come last and are optional. Immutable.
class OnnxSignature final {
 public:
  // INVALID_ARGUMENT if a tensor cannot be served, because it is a sequence or a map, or has a type that no protocol
  // has. `file` is the session's ONNX file, which tells the tensors of unknown rank; empty if there is none. `on_gpus`:
  // instances there take their inputs there. `compute_threads` as in inferd_signature.
  static base::Result<OnnxSignature> Read(const OrtSession* session, const std::filesystem::path& file,
                                          OutputLabels labels, bool on_gpus, int compute_threads);

  const std::vector<OnnxTensor>& inputs() const { return inputs_; }
  const std::vector<OnnxTensor>& outputs() const { return outputs_; }
  const inferd_signature* abi() const { return abi_.abi(); }

 private:
  OnnxSignature() = default;
  void MarkUnknownRanks(const std::filesystem::path& file);
  void FillAbi(bool on_gpus, int compute_threads);

  std::vector<OnnxTensor> inputs_;
  std::vector<OnnxTensor> outputs_;
  kit::TensorSignature abi_;
};

}  // namespace inferd::onnxruntime
