#include "protocols/tfs/example_columns.h"

#include <gtest/gtest.h>

namespace inferd::tfs {
namespace {

using Part = ExampleColumns::Part;

Feature Integers(std::vector<int64_t> values) {
  Feature feature;
  feature.kind = Feature::Kind::kInt64;
  feature.integers = std::move(values);
  return feature;
}

class ExampleColumnsTest : public ::testing::Test {
 protected:
  ExampleColumnsTest() {
    signature_.inputs = {{.name = "a", .datatype = tensor::DataType::kInt32, .shape = {-1, 2}},
                         {.name = "b", .datatype = tensor::DataType::kInt64, .shape = {-1}, .optional = true}};
  }

  std::string Take(ExampleColumns& columns, uint64_t bytes_max = 1024) {
    core::InferRequest request;
    const base::Status status = columns.Take(bytes_max, request);
    std::string text = status.ok() ? "" : status.message();
    for (const core::InferTensor& input : request.inputs) text += input.name + input.shape.ToString();
    return text;
  }

  core::ModelSignature signature_;
};

TEST_F(ExampleColumnsTest, ExamplesAreRowsAndOtherFeaturesAreIgnored) {
  ExampleColumns columns(signature_);
  for (int i = 0; i < 3; ++i) {
    columns.CountExample();
    EXPECT_TRUE(columns.Add(Part::kExample, "a", Integers({i, i})).ok());
    EXPECT_TRUE(columns.Add(Part::kExample, "other", Integers({i})).ok());
  }
  EXPECT_EQ(columns.examples(), 3u);
  EXPECT_EQ(Take(columns), "a[3,2]");
}

TEST_F(ExampleColumnsTest, TheContextIsEveryExamples) {
  ExampleColumns columns(signature_);
  EXPECT_TRUE(columns.Add(Part::kContext, "a", Integers({1, 2})).ok());
  columns.CountExample();
  columns.CountExample();
  EXPECT_TRUE(columns.Add(Part::kExample, "b", Integers({1})).ok());
  EXPECT_TRUE(columns.Add(Part::kExample, "b", Integers({2})).ok());
  EXPECT_EQ(Take(columns), "a[2,2]b[2]");
  EXPECT_EQ(Take(columns, 8), "feature 'a' of the context, for 2 examples, is more than 8 bytes");
}

TEST_F(ExampleColumnsTest, AnInputIsAFeatureOfEveryExampleOrOfTheContext) {
  ExampleColumns missing(signature_);
  missing.CountExample();
  EXPECT_EQ(Take(missing), "Feature: a (data type: int32) is required but could not be found.");
  ExampleColumns both(signature_);
  both.CountExample();
  EXPECT_TRUE(both.Add(Part::kExample, "a", Integers({1, 2})).ok());
  EXPECT_TRUE(both.Add(Part::kContext, "a", Integers({1, 2})).ok());
  EXPECT_EQ(Take(both), "Feature: a is in the context and in examples");
}

}  // namespace
}  // namespace inferd::tfs
