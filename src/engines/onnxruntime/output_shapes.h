#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/onnxruntime/onnx_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// Predicts an output's shape, so that it can be computed into the response's own memory. This is possible if each
// dimension is a number, or a symbol that also names a dimension of an input. Immutable.
class OutputShapes final {
 public:
  explicit OutputShapes(const OnnxSignature& signature);

  // Fills *shape. Returns false if it is unknown, or the inputs do not have it. `inputs` is by index; null if not
  // given.
  bool Predict(size_t output, std::span<const inferd_input* const> inputs, std::vector<int64_t>* shape) const;

 private:
  struct Dimension {
    int64_t size = -1;  // if >= 0, always this size
    int input = -1;     // else: the size of this input's
    size_t position = 0;
  };
  struct Output {
    bool known = false;
    std::vector<Dimension> dimensions;
  };

  std::vector<Output> outputs_;
};

}  // namespace inferd::onnxruntime
