// forest_call MODEL: measures the cost of one row in a tree model, in microseconds of CPU. Calls only the code of the
// reader and the evaluator. The forest engine's cost in the server is compared with it.

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/readers/read_forest.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

// Evaluates one row after another, and transforms its margins.
class BareForest final {
 public:
  explicit BareForest(std::shared_ptr<const forest::Forest> read)
      : forest_(std::move(read)),
        evaluator_(forest::Evaluator::Create(forest_, forest::Precision::kFloat32)),
        row_(static_cast<size_t>(forest_->features), 0.5F),
        margins_(static_cast<size_t>(forest_->groups)) {}

  void Call() {
    if (forest_->sums == forest::Precision::kFloat64) return Predict(margins_.data());
    Predict(reinterpret_cast<float*>(margins_.data()));
  }

 private:
  template <typename Sum>
  void Predict(Sum* margins) {
    evaluator_->Margins(row_.data(), 1, margins);
    forest::ApplyTransform(forest_->transform, margins, margins_.size(), static_cast<size_t>(forest_->classes),
                           margins);
  }

  std::shared_ptr<const forest::Forest> forest_;
  std::unique_ptr<const forest::Evaluator> evaluator_;
  std::vector<float> row_;
  std::vector<double> margins_;  // memory for either type
};

}  // namespace

int main(int argc, char** argv) {
  bench::Require(argc == 2, "usage: forest_call MODEL");
  auto read = forest::ReadForestFile(argv[1]);
  bench::Require(read.has_value(), read ? "" : read.error().ToString());
  BareForest bare(std::make_shared<const forest::Forest>(*std::move(read)));
  const double in_a_loop = bench::CpuOfCall([&] { bare.Call(); });
  std::printf("CPU us per row      in a loop   each 100 us\n");
  std::printf("iris %15.2f %13.2f\n", in_a_loop, bench::CpuOfLoneCall([&] { bare.Call(); }));
  return 0;
}
