#include "serving/scheduling/queue/batch_key.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

struct Input {
  int index = 0;
  tensor::Shape shape;
};

class BatchKeyTest : public ::testing::Test {
 protected:
  BatchKeyTest() {
    signature_.max_batch_size = 8;
    for (const char* name : {"A", "B"}) {
      signature_.inputs.push_back({.name = name, .datatype = tensor::DataType::kInt32, .shape = {-1, -1}});
    }
  }

  core::QueuedRequest Request(std::initializer_list<Input> inputs, core::Parameters parameters = {}) const {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->parameters = std::move(parameters);
    for (const Input& input : inputs) {
      core::InferTensor& tensor = queued.request->inputs.emplace_back();
      tensor.datatype = tensor::DataType::kInt32;
      tensor.shape = input.shape;
      queued.layout.inputs.push_back(input.index);
    }
    return queued;
  }

  // Checks that keys and SharesBatch() agree.
  bool Share(const core::QueuedRequest& a, const core::QueuedRequest& b) const {
    const bool keys = MakeBatchKey(a, signature_, significant_) == MakeBatchKey(b, signature_, significant_);
    EXPECT_EQ(keys, SharesBatch(a, b, signature_, significant_));
    EXPECT_EQ(keys, SharesBatch(b, a, signature_, significant_));
    return keys;
  }

  core::ModelSignature signature_;
  std::vector<std::string> significant_ = {"lang"};
};

TEST_F(BatchKeyTest, RowsMayDiffer) {
  EXPECT_TRUE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{0, {3, 4}}, {1, {3, 2}}})));
}

TEST_F(BatchKeyTest, ShapesMayNot) {
  EXPECT_FALSE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{0, {1, 4}}, {1, {1, 3}}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{0, {1, 2}}, {1, {1, 4}}})))
      << "the same dimensions, of other inputs";
}

TEST_F(BatchKeyTest, ShapesOfPaddedInputsMay) {
  signature_.inputs[0].padded = true;
  EXPECT_TRUE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{0, {2, 7}}, {1, {2, 2}}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{0, {1, 4}}, {1, {1, 3}}}))) << "that one is not";
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 4, 1}}}))) << "another rank";
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 0}}}))) << "nothing to fill it up with";
  EXPECT_TRUE(Share(Request({{0, {1, 0}}}), Request({{0, {2, 0}}})));
}

TEST_F(BatchKeyTest, PartsOfARequestAreNotPadded) {
  signature_.inputs[0].padded = true;
  core::QueuedRequest part = Request({{0, {1, 4}}});
  part.parts = std::make_shared<core::PartTally>(2);
  EXPECT_FALSE(Share(part, Request({{0, {1, 7}}})));
  core::QueuedRequest other = Request({{0, {3, 4}}});
  other.parts = part.parts;
  EXPECT_TRUE(Share(part, other));
}

TEST_F(BatchKeyTest, WithoutABatchDimensionEveryDimensionCounts) {
  signature_.max_batch_size = 0;
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {2, 4}}})));
}

TEST_F(BatchKeyTest, OptionalInputsThatAreThereCount) {
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 4}}, {1, {1, 4}}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{1, {1, 4}}})));
}

TEST_F(BatchKeyTest, TheOrderOfInputsDoesNotMatter) {
  EXPECT_TRUE(Share(Request({{0, {1, 4}}, {1, {1, 2}}}), Request({{1, {1, 2}}, {0, {1, 4}}})));
}

TEST_F(BatchKeyTest, OfRaggedInputsOnlyTheRankCounts) {
  signature_.inputs[0].ragged = true;
  EXPECT_TRUE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 9}}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 4, 1}}})));
}

TEST_F(BatchKeyTest, SignificantParametersCountAndOthersDoNot) {
  EXPECT_TRUE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 4}}}, {{"trace", true}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}), Request({{0, {1, 4}}}, {{"lang", std::string("de")}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}, {{"lang", std::string("fr")}}),
                     Request({{0, {1, 4}}}, {{"lang", std::string("de")}})));
  EXPECT_FALSE(Share(Request({{0, {1, 4}}}, {{"lang", int64_t{1}}}), Request({{0, {1, 4}}}, {{"lang", true}})));
  EXPECT_TRUE(Share(Request({{0, {1, 4}}}, {{"x", true}, {"lang", std::string("de")}}),
                    Request({{0, {1, 4}}}, {{"lang", std::string("de")}})));
}

}  // namespace
}  // namespace inferd::scheduling
