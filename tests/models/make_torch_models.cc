// Makes the models under tests/models/torch, which tests load, and examples/torch: TorchScript sources, compiled and
// saved by libtorch itself.
//
// They are committed, so neither needs a compiler for them. To make them again, after tools/install_engine torch:
//
//   cmake --build build/release --target make_torch_models && build/release/bin/make_torch_models .
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/script.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using Module = torch::jit::Module;

void Save(const std::filesystem::path& folder, const std::string& name, Module module) {
  std::filesystem::create_directories(folder / name);
  module.save((folder / name / "model.pt").string());
}

Module Script(const std::string& name, const std::string& source) {
  Module module(name);
  module.define(source);
  return module;
}

// Weights that need no random numbers.
torch::Tensor Ramp(std::vector<int64_t> shape, double step) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return (torch::arange(count, torch::kFloat32).remainder(13) - 6).mul(step).reshape(shape);
}

Module Perceptron() {
  Module module("Perceptron");
  module.register_parameter("first", Ramp({784, 16}, 0.003), false);
  module.register_parameter("second", Ramp({16, 10}, 0.01), false);
  module.define("def forward(self, x):\n  return torch.softmax(torch.relu(x @ self.first) @ self.second, 1)\n");
  return module;
}

// As torch.jit.trace saves one: with what it was traced with.
Module Traced() {
  Module module =
      Script("Traced", "def forward(self, x, y):\n  return x * 2 + y.sum(1, keepdim=True), x.sum(1).long()\n");
  module.store_traced_inputs("forward", {torch::ones({1, 3}), torch::ones({1, 2}, torch::kFloat64)});
  return module;
}

// Which iris a flower is, by its leaves: the network of examples/openvino, by the weights in its file.
Module Leaves(const std::filesystem::path& weights) {
  std::ifstream in(weights, std::ios::binary);
  in.exceptions(std::ios::failbit);
  const auto read = [&in](std::vector<int64_t> shape) {
    torch::Tensor tensor = torch::empty(shape);
    in.read(static_cast<char*>(tensor.data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
    return tensor;
  };
  Module module("Leaves");
  for (const auto& [name, shape] : std::vector<std::pair<const char*, std::vector<int64_t>>>{
           {"weight0", {8, 4}}, {"bias0", {8}}, {"weight1", {3, 8}}, {"bias1", {3}}}) {
    module.register_parameter(name, read(shape), false);
  }
  module.define(
      "def forward(self, rows):\n"
      "  hidden = torch.relu(torch.linear(rows, self.weight0, self.bias0))\n"
      "  return torch.softmax(torch.linear(hidden, self.weight1, self.bias1), 1)\n");
  module.store_traced_inputs("forward", {torch::ones({1, 4})});
  return module;
}

// Knows the operators of tests/support/torch_operators.cc.
struct OperatorResolver : torch::jit::Resolver {
  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction&,
                                                         const torch::jit::SourceRange&) override {
    return name == "test_operators" ? std::make_shared<torch::jit::BuiltinModule>(name) : nullptr;
  }
};

Module Custom() {
  Module module("Custom");
  module.define("def forward(self, x):\n  return test_operators.twice(x)\n", std::make_shared<OperatorResolver>());
  return module;
}

// Counts its calls.
Module Counter() {
  Module module("Counter");
  module.register_buffer("calls", torch::zeros({1}, torch::kInt64));
  module.define("def forward(self, x):\n  self.calls += 1\n  return self.calls + x\n");
  return module;
}

Module Last() {
  Module module("Last");
  module.register_attribute("last", c10::TensorType::get(), torch::zeros({1, 2}));
  module.define("def forward(self, x):\n  y = self.last\n  self.last = x.clone()\n  return y\n");
  return module;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const std::filesystem::path root = argv[1];
  const std::filesystem::path out = root / "tests/models/torch";
  const std::vector<std::pair<const char*, const char*>> sources = {
      {"identity", "def forward(self, x):\n  return x\n"},
      {"matmul", "def forward(self, a, b):\n  return a @ b\n"},
      {"half_plus_two", "def forward(self, x):\n  return x * 0.5 + 2\n"},
      {"writes", "def forward(self, x):\n  x.add_(1)\n  return x * 2\n"},
      {"pair", "def forward(self, a, b):\n  return a + b, a - b\n"},
      {"listed", "def forward(self, a, b):\n  return [a + b, a - b]\n"},
      {"keyed", "def forward(self, a, b):\n  return {'sum': a + b, 'difference': a - b}\n"},
      {"takes_dict", "def forward(self, inputs: Dict[str, Tensor]):\n  return {'sum': inputs['a'] + inputs['b']}\n"},
      {"strings", "def forward(self, words: List[str]):\n  return [word.upper() for word in words]\n"},
      {"lengths", "def forward(self, words: List[str]):\n  return torch.tensor([len(word) for word in words])\n"},
      {"scaled",
       "def forward(self, x, factor: float = 2.0, offset: Optional[Tensor] = None):\n"
       "  y = x * factor\n  if offset is not None:\n    y = y + offset\n  return y\n"},
      {"counted", "def forward(self, n: int, twice: bool):\n  return torch.arange(n * 2 if twice else n)\n"},
      {"raises",
       "def forward(self, x):\n  assert not bool((x < 0).any()), 'no number may be below 0'\n  return x + 1\n"},
      {"nested", "def forward(self, x):\n  return (x, (x, x))\n"},
      {"nothing", "def forward(self, x):\n  return None\n"},
      {"sparse", "def forward(self, x):\n  return x.to_sparse()\n"},
      {"huge", "def forward(self, x):\n  return torch.zeros([1 << 50])\n"},
      {"nonzero", "def forward(self, x):\n  return torch.nonzero(x)\n"},
      {"two_methods", "def forward(self, x):\n  return x + 1\ndef other(self, x):\n  return x + 2\n"},
      {"any", "def forward(self, x: Any):\n  return 1\n"},
  };
  for (const auto& [name, source] : sources) {
    try {
      Save(out, name, Script(name, source));
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "%s: %s\n", name, exception.what());
      return 1;
    }
  }
  Save(root / "examples/torch/leaves_torch", "1", Leaves(root / "examples/openvino/leaves_ir/1/model.bin"));
  Save(out, "perceptron", Perceptron());
  Save(out, "traced", Traced());
  Save(out, "custom", Custom());
  Save(out, "counter", Counter());
  Save(out, "last", Last());
}
