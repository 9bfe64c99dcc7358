#include "engines/forest/plugin/feature_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace inferd::forest {
namespace {

const std::vector<std::string>& Names() {
  static const std::vector<std::string> names = {"a", "b_c"};
  return names;
}

// Returns the rows as text, "nan" for absent values, or the error.
std::string Rows(std::string_view body, const std::vector<std::string>& names = Names()) {
  const FeatureNames features(names, 2);
  const auto table = ReadFeatureTable(body, features);
  if (!table.has_value()) return table.error().message();
  EXPECT_EQ(table->values.size(), table->rows * 2);
  std::string text;
  for (size_t i = 0; i < table->values.size(); ++i) {
    const double value = table->values[i];
    text += (i == 0 ? "" : i % 2 == 0 ? " | " : " ") + (std::isnan(value) ? "nan" : std::to_string(std::lround(value)));
  }
  return text;
}

TEST(FeatureTableTest, EachFormHasItsRows) {
  EXPECT_EQ(Rows(R"({"instances": [{"b_c": 2, "a": 1}, {"a": null, "b_c": true}]})"), "1 2 | nan 1");
  EXPECT_EQ(Rows(R"({"instances": [{"a": 1, "other": {"x": [1]}}]})"), "1 nan");
  EXPECT_EQ(Rows(R"({"instances": [{"a": 1, "b c": 2}]})"), "1 2");
  EXPECT_EQ(Rows(R"({"instances": [[1, null], [3, NaN]]})"), "1 nan | 3 nan");
  EXPECT_EQ(Rows(R"({"inputs": [{"a": {"0": 1, "1": 2}, "b_c": {"0": 3, "1": 4}}]})"), "1 3 | 2 4");
  EXPECT_EQ(Rows(R"({"inputs": [{"a": [1, 2], "b_c": [3, 4]}, {"a": [5], "b_c": [6]}]})"), "1 3 | 2 4 | 5 6");
  EXPECT_EQ(Rows(R"({"inputs": [[{"a": 1}, [2, 3]], [[4, 5]]]})"), "1 nan | 2 3 | 4 5");
  EXPECT_EQ(Rows(R"({"inputs": {"b_c": [3, 4], "a": [1, 2]}, "x": 1})"), "1 3 | 2 4");
}

TEST(FeatureTableTest, LabelsDecideWhichValuesAreOneRow) {
  EXPECT_EQ(Rows(R"({"inputs": [{"a": {"x": 1, "y": 2}, "b_c": {"y": 4, "x": 3}}]})"), "1 3 | 2 4");
  EXPECT_EQ(Rows(R"({"inputs": [{"a": {"x": 1}, "b_c": {"y": 4}}]})"),
            "feature 'b_c' has a row 'y' that the features before it lack");
}

TEST(FeatureTableTest, OtherFormsAreRefused) {
  EXPECT_EQ(Rows(R"({"instances": [{"x": 1}]})"), "row 0 names none of the model's features: 'a', 'b_c'");
  EXPECT_EQ(Rows(R"({"instances": [{"x": 1}]})", {}), "the model's file has no names of features: give rows as lists");
  EXPECT_EQ(Rows(R"({"instances": [[1, 2], [3]]})"), "row 1 has 1 features, and the model takes 2");
  EXPECT_EQ(Rows(R"({"instances": [[1, 2, 3]]})"), "row 0 has 3 features, and the model takes 2");
  EXPECT_EQ(Rows(R"({"instances": [{"a": [1, 2], "b_c": [3]}]})"),
            "feature 'b_c' has 1 values, and the features before it have 2");
  EXPECT_EQ(Rows(R"({"instances": [{"a": [1, 2], "b_c": {"0": 1, "1": 2}}]})"),
            "feature 'b_c' has 2 values, and the features before it have 2");
  EXPECT_EQ(Rows(R"({"instances": [{"a": "1"}]})"), "row 0, feature 'a': expected a number or null");
  EXPECT_EQ(Rows(R"({"instances": [1]})"), "row 0: expected an object or a list of features");
  EXPECT_EQ(Rows(R"({"instances": [[[[1, 2]]]]})"), "row 0 has too many dimensions");
  EXPECT_EQ(Rows(R"({"instances": []})"), "the table has no rows");
  EXPECT_EQ(Rows("{}"), "the table has no rows");
  EXPECT_TRUE(Rows(R"({"instances": {"a": 1}})").starts_with("JSON at byte "));
  EXPECT_TRUE(Rows(R"({"instances": [[1, 2]]} x)").starts_with("JSON at byte "));
}

// A short body must not claim much memory.
TEST(FeatureTableTest, AbsentValuesAreBounded) {
  std::vector<std::string> names;
  for (int i = 0; i < 1'000'000; ++i) names.push_back("f" + std::to_string(i));
  const FeatureNames features(names, names.size());
  const auto table =
      ReadFeatureTable(R"({"instances": [{"f1": 1}, {"f1": 1}, {"f1": 1}, {"f1": 1}, {"f1": 1}]})", features);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().code(), base::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace inferd::forest
