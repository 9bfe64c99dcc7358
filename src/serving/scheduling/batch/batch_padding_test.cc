#include "serving/scheduling/batch/batch_padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace {

using inferd::support::ValuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BatchPaddingTest, RowsAreMissingToTheNextAllowedSize) {
  const std::vector<int64_t> allowed = {2, 4, 16};
  EXPECT_EQ(MissingRows(allowed, 1), 1);
  EXPECT_EQ(MissingRows(allowed, 2), 0);
  EXPECT_EQ(MissingRows(allowed, 5), 11);
  EXPECT_EQ(MissingRows(allowed, 16), 0);
  EXPECT_EQ(MissingRows(allowed, 17), 0) << "larger than all";
  EXPECT_EQ(MissingRows(allowed, 0), 0) << "there is no row to repeat";
  EXPECT_EQ(MissingRows({}, 3), 0);
}

TEST(BatchPaddingTest, TheFirstRowIsRepeated) {
  const auto rows = RepeatFirstRow(BatchFixture::Tensor("IN", {2, 3}, {1, 2, 3, 4, 5, 6}), 2);
  ASSERT_TRUE(rows.has_value());
  EXPECT_THAT(ValuesOf<int32_t>(*rows), ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_EQ(RepeatFirstRow(BatchFixture::Tensor("IN", {2, 0}, {}), 3)->size(), 0u) << "rows may be empty";
}

TEST(BatchPaddingTest, TextsAreRepeatedWithTheirLengths) {
  core::InferTensor texts = BatchFixture::Texts("IN", {"a", "bcd", "ef", ""});
  texts.shape = {2, 2};
  EXPECT_EQ(RepeatFirstRow(texts, 2)->view(), inferd::support::Packed({"a", "bcd", "a", "bcd"}).view());
}

TEST(BatchPaddingTest, WhatWouldBeTooLargeIsRefused) {
  const core::InferTensor tensor = BatchFixture::Tensor("IN", {1, 2}, {1, 2});
  const auto rows = RepeatFirstRow(tensor, int64_t{kBatchPaddingBytesMax} / 8 + 1);
  ASSERT_FALSE(rows.has_value());
  EXPECT_EQ(rows.error().code(), base::StatusCode::kResourceExhausted);
}

TEST(BatchPaddingTest, DataThatIsNoTensorIsAFaultOfTheServer) {
  core::InferTensor tensor = BatchFixture::Tensor("IN", {1, 2}, {1, 2});
  tensor.shape = {1, 3};
  EXPECT_THAT(RepeatFirstRow(tensor, 1).error().message(), HasSubstr("input 'IN' is not as large as its shape"));
  core::InferTensor texts = BatchFixture::Texts("IN", {"a"});
  texts.shape = {1, 2};
  EXPECT_EQ(RepeatFirstRow(texts, 1).error().code(), base::StatusCode::kInternal);
}

}  // namespace
}  // namespace inferd::scheduling
