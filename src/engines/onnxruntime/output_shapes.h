#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/onnxruntime/onnx_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Tells an output's shape before it is computed, so that it can be computed into the response's own memory: possible
// when each dimension is a number, or a symbol that also names a dimension of an input. Immutable.
class OutputShapes final {
 public:
  explicit OutputShapes(const OnnxSignature& signature);

  // Fills *shape; false: not known, or the inputs do not have it. `inputs` is by index; null: not given.
  bool Predict(size_t output, std::span<const inferd_input* const> inputs, std::vector<int64_t>* shape) const;

 private:
  struct Dimension {
    int64_t size = -1;  // >= 0: always this
    int input = -1;     // else: that of this input's
    size_t position = 0;
  };
  struct Output {
    bool known = false;
    std::vector<Dimension> dimensions;
  };

  std::vector<Output> outputs_;
};

}  // namespace inferd::onnxruntime
