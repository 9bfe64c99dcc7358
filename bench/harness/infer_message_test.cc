#include "bench/harness/infer_message.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

namespace inferd::bench {
namespace {

ctl::NamedTensor Reals(std::initializer_list<float> values, const tensor::Shape& shape) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float));
  return {.name = "x",
          .datatype = tensor::DataType::kFp32,
          .shape = shape,
          .data = base::BufferSlice(base::Buffer::CopyOf(bytes))};
}

TEST(PredictRowsTest, RealsAreWhatPythonPrints) {
  EXPECT_EQ(PredictRows({Reals({0.5F, 0.1F, 0.75F, 1e-3F}, {1, 2, 2})}, RowNumbers::kReals).value(),
            R"({"instances":[[[0.5,0.10000000149011612],[0.75,0.0010000000474974513]]]})");
}

TEST(PredictRowsTest, WholesArePixels) {
  EXPECT_EQ(PredictRows({Reals({0, 0.5F, 1}, {1, 3})}, RowNumbers::kWholes).value(), R"({"instances":[[0,127,255]]})");
}

TEST(PredictRowsTest, OtherInputsHaveNone) {
  EXPECT_FALSE(PredictRows({}, RowNumbers::kReals).has_value());
  EXPECT_FALSE(PredictRows({Reals({1}, {1}), Reals({1}, {1})}, RowNumbers::kReals).has_value());
  ctl::NamedTensor text = Reals({1}, {1});
  text.datatype = tensor::DataType::kInt32;
  EXPECT_FALSE(PredictRows({text}, RowNumbers::kWholes).has_value());
}

}  // namespace
}  // namespace inferd::bench
