#include "serving/scheduling/batch/output_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_execution.h"

namespace inferd::scheduling {
namespace {

using ::testing::ElementsAre;

core::InferTensor Numbers(tensor::Shape shape, size_t count) {
  return {.name = "OUT",
          .datatype = tensor::DataType::kInt32,
          .shape = std::move(shape),
          .data = support::SliceOf(std::vector<int32_t>(count)),
          .parameters = {}};
}

core::InferTensor Texts(tensor::Shape shape, const std::vector<std::string>& texts) {
  return {.name = "OUT",
          .datatype = tensor::DataType::kBytes,
          .shape = std::move(shape),
          .data = support::Packed(texts),
          .parameters = {}};
}

base::Result<std::vector<size_t>> Ends(const core::InferTensor& whole, const std::vector<size_t>& counts) {
  std::vector<size_t> ends(counts.size());
  INFERD_RETURN_IF_ERROR(FindShareEnds(whole, counts, ends));
  return ends;
}

TEST(FindShareEndsTest, ElementsOfOneSizeAreCounted) {
  EXPECT_THAT(Ends(Numbers({4, 2}, 8), {2, 4, 2}).value(), ElementsAre(8, 24, 32));
  EXPECT_THAT(Ends(Numbers({0, 2}, 0), {0, 0}).value(), ElementsAre(0, 0));
}

TEST(FindShareEndsTest, ElementsOfDifferentSizesAreWalked) {
  EXPECT_THAT(Ends(Texts({2, 2}, {"a", "", "bcd", "e"}), {2, 0, 2}).value(), ElementsAre(9, 9, 21));
}

TEST(FindShareEndsTest, WrongCountsAreTheEnginesFault) {
  EXPECT_EQ(Ends(Numbers({4, 2}, 8), {2, 4}).error(),
            base::Internal("shape [4,2] does not have the 6 elements of the batch's requests"));
  EXPECT_EQ(Ends(Numbers({4, 2}, 8), {SIZE_MAX, 9}).error().code(), base::StatusCode::kInternal);
  EXPECT_EQ(Ends(Numbers({4, 2}, 7), {4, 4}).error().code(), base::StatusCode::kInternal);
  EXPECT_EQ(Ends(Numbers({-4, 2}, 8), {4, 4}).error().code(), base::StatusCode::kInternal);
}

TEST(FindShareEndsTest, BrokenElementsAreTheEnginesFault) {
  EXPECT_EQ(Ends(Texts({2}, {"a"}), {1, 1}).error(), base::Internal("its bytes end before its elements do"));
  EXPECT_EQ(Ends(Texts({2}, {"a", "b", "c"}), {1, 1}).error(), base::Internal("bytes follow its last element"));
  core::InferTensor cut = Texts({1}, {"abc"});
  cut.data = cut.data.Sub(0, 6);
  EXPECT_EQ(Ends(cut, {1}).error(), base::Internal("its bytes end before its elements do"));
}

}  // namespace
}  // namespace inferd::scheduling
