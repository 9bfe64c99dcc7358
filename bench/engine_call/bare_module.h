#pragma once

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <utility>
#include <vector>

#include "bench/engine_call/require.h"

namespace inferd::bench {

// A TorchScript model with one input, called through libtorch alone, as a C++ program would call it. It is loaded as
// the server loads it. The input tensor uses existing memory, and the library allocates the output. A failure throws or
// ends the program. Used by one thread at a time.
class BareModule final {
 public:
  // Loads a model whose input is FP32 of this shape.
  BareModule(const char* file, std::vector<int64_t> shape) : shape_(std::move(shape)) {
    at::set_num_threads(1);
    torch::jit::Module module = torch::jit::load(file, c10::Device(c10::kCPU));
    module.eval();
    module_ = torch::jit::freeze(module);
    size_t count = 1;
    for (const int64_t size : shape_) count *= static_cast<size_t>(size);
    values_.assign(count, 1);
  }

  void Call() {
    const c10::InferenceMode inference;
    const at::Tensor output = module_.forward({at::from_blob(values_.data(), shape_)}).toTensor();
    Require(output.const_data_ptr() != nullptr, "no output");
  }

 private:
  torch::jit::Module module_;
  std::vector<int64_t> shape_;
  std::vector<float> values_;
};

}  // namespace inferd::bench
