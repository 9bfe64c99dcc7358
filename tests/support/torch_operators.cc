// A library of operators of a model's own, as torchvision is one, for tests: test_operators::twice(Tensor x) -> Tensor.
#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace {

at::Tensor Twice(const at::Tensor& x) { return x.add(x); }

}  // namespace

TORCH_LIBRARY(test_operators, library) { library.def("twice", &Twice); }
