// Compares every model of tests/models/forest, which its library trained, with that library's own recorded results. The
// variable INFERD_RECORDED_FORESTS may name another such folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "data/json/read.h"
#include "engines/forest/evaluate/contributions.h"
#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/readers/read_forest.h"

namespace inferd::forest {
namespace {

// The tolerance: a library's exp() may differ from ours in the last bit.
constexpr double kRelativeError = 1e-6;

// Training may also produce NaN, which a model then returns.
bool IsClose(double value, double expected, double error) {
  return value == expected || std::abs(value - expected) <= error || (std::isnan(value) && std::isnan(expected));
}

template <typename Sum>
void ExpectSame(const std::vector<Sum>& values, const std::vector<Sum>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(IsClose(values[i], expected[i], 0)) << i << ": " << values[i] << ", not " << expected[i];
  }
}

struct Recorded {
  std::string name;
  std::filesystem::path model;
  std::map<std::string, std::vector<double>, std::less<>> answers;
};

// Reads all numbers of nested arrays.
base::Status ReadNumbers(json::Reader& reader, std::vector<double>* numbers) {
  return json::ReadArray(reader, [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
    if (type == json::ValueType::kArray) return ReadNumbers(reader, numbers);
    INFERD_ASSIGN_OR_RETURN(numbers->emplace_back(), reader.ReadDouble());
    return {};
  });
}

base::Status ReadAnswers(const std::filesystem::path& path, Recorded* recorded) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  json::Reader reader(text, {.nonfinite_tokens = true});
  return json::ReadObject(
      reader, [&](std::string_view key) { return ReadNumbers(reader, &recorded->answers[std::string(key)]); });
}

const std::vector<double>& Answers(const Recorded& recorded, std::string_view key) {
  static const std::vector<double> none;
  const auto found = recorded.answers.find(key);
  return found == recorded.answers.end() ? none : found->second;
}

std::vector<Recorded> AllRecorded() {
  const char* const other = std::getenv("INFERD_RECORDED_FORESTS");
  std::vector<Recorded> all;
  for (const auto& folder : std::filesystem::directory_iterator(other == nullptr ? INFERD_FOREST_MODELS : other)) {
    Recorded recorded{.name = folder.path().filename(), .model = {}, .answers = {}};
    if (!ReadAnswers(folder.path() / "answers.json", &recorded).ok()) recorded.answers.clear();
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().stem() == "model") recorded.model = file.path();
    }
    all.push_back(std::move(recorded));
  }
  return all;
}

void PrintTo(const Recorded& recorded, std::ostream* out) { *out << recorded.name; }

class RecordedModelTest : public ::testing::TestWithParam<Recorded> {
 protected:
  void SetUp() override {
    auto forest = ReadForestFile(GetParam().model);
    ASSERT_TRUE(forest) << forest.error().ToString();
    forest_ = std::make_shared<const Forest>(*std::move(forest));
    values_ = Answers(GetParam(), "rows");
    rows_ = values_.size() / static_cast<size_t>(forest_->features);
    ASSERT_GT(rows_, 8U);
  }

  template <typename Feature, typename Sum>
  std::vector<Sum> Margins(size_t at_once) const {
    const std::vector<Feature> values(values_.begin(), values_.end());
    const auto groups = static_cast<size_t>(forest_->groups);
    const auto evaluator = Evaluator::Create(forest_, sizeof(Feature) == 8 ? Precision::kFloat64 : Precision::kFloat32);
    std::vector<Sum> margins(rows_ * groups);
    for (size_t row = 0; row < rows_; row += at_once) {
      evaluator->Margins(values.data() + row * static_cast<size_t>(forest_->features), std::min(at_once, rows_ - row),
                         margins.data() + row * groups);
    }
    return margins;
  }

  // Margins must be equal to the last bit, however rows are split into calls.
  template <typename Feature, typename Sum>
  void ExpectEqual() const {
    const std::vector<Sum> all = Margins<Feature, Sum>(rows_);
    for (const size_t at_once : {size_t{1}, size_t{11}}) ExpectSame(Margins<Feature, Sum>(at_once), all);
    const std::vector<double>& margins = Answers(GetParam(), "margin");
    ExpectSame(all, std::vector<Sum>(margins.begin(), margins.end()));
    ExpectPredictions(all);
  }

  template <typename Sum>
  void ExpectPredictions(const std::vector<Sum>& margins) const {
    const auto groups = static_cast<size_t>(forest_->groups);
    const auto classes = static_cast<size_t>(forest_->classes);
    const std::vector<double> expected = Answers(GetParam(), "predict");
    const size_t width = TransformedWidth(forest_->transform, groups, classes);
    ASSERT_EQ(rows_ * width, expected.size());
    std::vector<Sum> row(groups);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i % width == 0) {
        ApplyTransform(forest_->transform, margins.data() + i / width * groups, groups, classes, row.data());
      }
      EXPECT_TRUE(IsClose(row[i % width], expected[i], kRelativeError * std::abs(expected[i])))
          << "prediction " << i << ": " << row[i % width] << ", not " << expected[i];
    }
  }

  std::shared_ptr<const Forest> forest_;
  std::vector<double> values_;
  size_t rows_ = 0;
};

TEST_P(RecordedModelTest, AnswersAsItsLibraryDid) {
  if (forest_->sums == Precision::kFloat32) {
    ExpectEqual<float, float>();
  } else {
    ExpectEqual<float, double>();
    ExpectEqual<double, double>();
  }
}

TEST_P(RecordedModelTest, FindsTheLeavesThatItsLibraryFound) {
  const std::vector<double> expected = Answers(GetParam(), "leaf");
  const std::vector<float> values(values_.begin(), values_.end());
  std::vector<int32_t> leaves(rows_ * forest_->trees.size());
  Evaluator::Create(forest_, Precision::kFloat32)->Leaves(values.data(), rows_, leaves.data());
  EXPECT_EQ(std::vector<double>(leaves.begin(), leaves.end()), expected);
}

TEST_P(RecordedModelTest, ContributesWhatItsLibrarySays) {
  const std::vector<double>& expected = Answers(GetParam(), "contributions");
  const auto contributions = Contributions::Create(forest_);
  ASSERT_EQ(contributions.has_value(), !expected.empty());
  if (expected.empty()) return;
  const size_t width = expected.size() / rows_;
  std::vector<double> values(width);
  // XGBoost sums the many small terms of a value in float32.
  const double error = forest_->sums == Precision::kFloat32 ? 1e-5 : 1e-12;
  for (size_t row = 0; row < rows_; ++row) {
    (*contributions)->OfRow(values_.data() + row * static_cast<size_t>(forest_->features), values.data());
    for (size_t i = 0; i < width; ++i) {
      EXPECT_TRUE(IsClose(values[i], expected[row * width + i], error * std::max(1.0, std::abs(values[i]))))
          << row << " " << i << ": " << values[i] << ", not " << expected[row * width + i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecordedModelTest, ::testing::ValuesIn(AllRecorded()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace inferd::forest
