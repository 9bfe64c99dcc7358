// Files that were cut off, or have wrong bytes, are errors or other forests; never worse. The fuzz targets look
// further.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/readers/document.h"
#include "engines/forest/readers/read_forest.h"
#include "engines/forest/readers/set_builder.h"

namespace inferd::forest {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOneOfEachFormat[] = {"xgboost_categories/model.json",     "xgboost_ubjson/model.ubj",
                                            "xgboost_1_7_binary_dart/model.bst", "lightgbm_linear_leaves/model.txt",
                                            "lightgbm_categories/model.txt",     "treelite_of_categories/model.tl"};

std::string ContentOf(const std::string& name) {
  std::ifstream file(std::filesystem::path(INFERD_FOREST_MODELS) / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class HostileFileTest : public ::testing::TestWithParam<const char*> {
 protected:
  std::string content_ = ContentOf(GetParam());
};

TEST_P(HostileFileTest, CutOffFilesAreErrors) {
  ASSERT_TRUE(ReadForest(content_));
  // What follows the trees (LightGBM's parameters, XGBoost's attributes) is of no use here.
  const size_t end =
      content_.find("end of trees") != std::string::npos ? content_.find("end of trees") : content_.size();
  for (size_t size = 0; size < end * 9 / 10; size += 1 + end / 200) {
    EXPECT_FALSE(ReadForest(std::string_view(content_).substr(0, size))) << size;
  }
}

TEST_P(HostileFileTest, WrongBytesAreErrorsOrOtherForests) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = content_;
    for (int changes = 0; changes < 1 + i % 3; ++changes) {
      damaged[random() % damaged.size()] = static_cast<char>(i % 2 == 0 ? random() : "09-[\"\x7f\xff"[random() % 7]);
    }
    auto read = ReadForest(damaged);
    if (!read || read->features > 100 || read->groups > 100) continue;
    const auto forest = std::make_shared<const Forest>(*std::move(read));
    const std::vector<float> rows(17 * static_cast<size_t>(forest->features), std::numeric_limits<float>::infinity());
    std::vector<double> margins(17 * static_cast<size_t>(forest->groups));
    Evaluator::Create(forest, Precision::kFloat32)->Margins(rows.data(), 17, margins.data());
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HostileFileTest, ::testing::ValuesIn(kOneOfEachFormat), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '.'; }, '_');
  return name;
});

// A model of one split, with something in another's place.
base::Status StatusWith(const std::string& what, const std::string& instead) {
  std::string text = ContentOf("xgboost_binary_logistic/model.json");
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  const auto forest = ReadForest(text.replace(at, what.size(), instead));
  return forest ? base::OkStatus() : forest.error();
}

TEST(HostileXgboostTest, SaysWhatIsWrong) {
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[0").message(),
              HasSubstr("tree 0: node 0 has two"));
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[99").message(), HasSubstr("has children 99 and"));
  EXPECT_THAT(StatusWith("\"left_children\":[1", "\"left_children\":[1.5").message(), HasSubstr("no whole number"));
  EXPECT_THAT(StatusWith("\"left_children\":[1,", "\"left_children\":[").message(), HasSubstr("'left_children' has"));
  EXPECT_THAT(StatusWith("\"num_nodes\":\"", "\"num_nodes\":\"9").message(), HasSubstr("elements for 9"));
  EXPECT_THAT(StatusWith("\"num_nodes\":\"", "\"num_nodes\":\"99999999999").message(), HasSubstr("'num_nodes' is"));
  EXPECT_THAT(StatusWith("\"num_class\":\"0\"", "\"num_class\":\"-3\"").message(), HasSubstr("'num_class' is"));
  EXPECT_THAT(StatusWith("\"base_score\":\"[", "\"base_score\":\"[x").message(), HasSubstr("'base_score' is"));
  EXPECT_THAT(StatusWith("\"base_score\":\"[5", "\"base_score\":\"[1E0,5").message(), HasSubstr("2 base scores for 1"));
  EXPECT_THAT(StatusWith("\"split_conditions\":[", "\"split_conditions\":[NaN,").message(), HasSubstr("elements for"));
  EXPECT_THAT(StatusWith("\"split_type\":[0", "\"split_type\":[1").message(), HasSubstr("it has no categories"));
  EXPECT_THAT(StatusWith("\"split_type\":[0", "\"split_type\":[2").message(), HasSubstr("'split_type' is neither"));
}

TEST(SetBuilderTest, AllSetsTogetherHaveALimit) {
  SetBuilder builder;
  CategorySet set;
  EXPECT_TRUE(builder.Add(kCategoriesMax - 1, &set).ok());
  EXPECT_FALSE(builder.Add(kCategoriesMax, &set).ok());
  EXPECT_FALSE(builder.Add(-1, &set).ok());
  base::Status status;
  for (int i = 0; i < 200 && status.ok(); ++i) {
    CategorySet another;
    status = builder.Add(kCategoriesMax - 1, &another);
  }
  EXPECT_THAT(status.message(), HasSubstr("too much memory"));
}

TEST(UbjsonTest, HasLimits) {
  std::string deep(40, '[');
  EXPECT_THAT(ParseUbjson(deep).error().message(), HasSubstr("too deep"));
  EXPECT_THAT(ParseUbjson("[$d#l\x7f\xff\xff\xff").error().message(), HasSubstr("more than the file has"));
  EXPECT_THAT(ParseUbjson("[#i\xff").error().message(), HasSubstr("more than the file has"));
  EXPECT_THAT(ParseUbjson("{i\1aZi\1aZ}").error().message(), HasSubstr("'a' is there twice"));
  EXPECT_THAT(ParseUbjson("ZZ").error().message(), HasSubstr("something follows"));
  EXPECT_TRUE(ParseUbjson("[#i\2TF"));
}

}  // namespace
}  // namespace inferd::forest
