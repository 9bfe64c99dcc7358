// bench_forest MODEL [LIBXGBOOST]: measures the cost of a row in a tree model, in microseconds of one core, in batches
// of one row and of more. Runs our evaluator and the XGBoost library on the same rows, and compares their answers.
// bench/forest/compare makes the model and calls this.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "bench/forest/xgboost_library.h"
#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/readers/read_forest.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Require;

constexpr size_t kBatches[] = {1, 8, 64, 1000};
constexpr size_t kRowsMax = 1000;

class Ours final {
 public:
  explicit Ours(std::shared_ptr<const forest::Forest> read)
      : forest_(std::move(read)), evaluator_(forest::Evaluator::Create(forest_, forest::Precision::kFloat32)) {
    Require(forest_->sums == forest::Precision::kFloat32, "this compares models of XGBoost");
  }

  const float* Predict(const float* rows, size_t count) {
    const auto groups = static_cast<size_t>(forest_->groups);
    answers_.resize(count * groups);
    evaluator_->Margins(rows, count, answers_.data());
    for (size_t i = 0; i < count; ++i) {
      float* const row = answers_.data() + i * groups;
      forest::ApplyTransform(forest_->transform, row, groups, static_cast<size_t>(forest_->classes), row);
    }
    return answers_.data();
  }

 private:
  std::shared_ptr<const forest::Forest> forest_;
  std::unique_ptr<const forest::Evaluator> evaluator_;
  std::vector<float> answers_;
};

// Calls use different rows in turn.
template <typename Call>
double MicrosecondsOfRow(size_t batch, const Call& call) {
  size_t first = 0;
  const double of_call = bench::CpuOfCall([&] {
    call(first, batch);
    first = first + 2 * batch <= kRowsMax ? first + batch : 0;
  });
  return of_call / static_cast<double>(batch);
}

std::vector<float> MakeRows(size_t features) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> rows(kRowsMax * features);
  for (float& value : rows) value = normal(random);
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2 || argc == 3, "usage: bench_forest MODEL [LIBXGBOOST]");
  auto read = forest::ReadForestFile(argv[1]);
  Require(read.has_value(), read ? "" : read.error().ToString());
  const auto model = std::make_shared<const forest::Forest>(*std::move(read));
  const auto features = static_cast<size_t>(model->features);
  const std::vector<float> rows = MakeRows(features);
  Ours ours(model);
  std::optional<bench::XgboostLibrary> xgboost;
  if (argc == 3) xgboost.emplace(argv[2], argv[1]);
  if (xgboost.has_value()) {
    const float* const theirs = xgboost->Predict(rows.data(), kRowsMax, features);
    const float* const answers = ours.Predict(rows.data(), kRowsMax);
    for (size_t i = 0; i < kRowsMax; ++i) {
      Require(std::abs(answers[i] - theirs[i]) <= 1e-6F * std::abs(theirs[i]), "the answers differ");
    }
  }
  std::printf("rows of a batch   inferd us/row   XGBoost us/row   ratio\n");
  for (const size_t batch : kBatches) {
    const double mine =
        MicrosecondsOfRow(batch, [&](size_t first, size_t count) { ours.Predict(&rows[first * features], count); });
    if (!xgboost.has_value()) {
      std::printf("%15zu %15.2f\n", batch, mine);
      continue;
    }
    const double theirs = MicrosecondsOfRow(
        batch, [&](size_t first, size_t count) { xgboost->Predict(&rows[first * features], count, features); });
    std::printf("%15zu %15.2f %16.2f %7.2f\n", batch, mine, theirs, mine / theirs);
  }
  return 0;
}
