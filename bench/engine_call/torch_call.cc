// torch_call FILE NAME SIZE...: what one row costs in a TorchScript model of one input, FP32 of these sizes, in
// microseconds of CPU, loaded as the server loads it. The floor that the server's own cost is measured against.

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

// As a program of its own would: a tensor over existing memory, the library's memory for the output.
class BareModel final {
 public:
  BareModel(const char* file, std::vector<int64_t> shape) : shape_(std::move(shape)) {
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
    bench::Require(output.const_data_ptr() != nullptr, "no output");
  }

 private:
  torch::jit::Module module_;
  std::vector<int64_t> shape_;
  std::vector<float> values_;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Require(argc > 3, "usage: torch_call FILE NAME SIZE...");
  std::vector<int64_t> shape;
  for (int i = 3; i < argc; ++i) shape.push_back(std::atoll(argv[i]));
  BareModel bare(argv[1], std::move(shape));
  const double in_a_loop = bench::CpuOfCall([&] { bare.Call(); });
  std::printf("CPU us per row      in a loop   each 100 us\n");
  std::printf("%s %15.2f %13.2f\n", argv[2], in_a_loop, bench::CpuOfLoneCall([&] { bare.Call(); }));
  return 0;
}
