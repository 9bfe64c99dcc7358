#include "serving/scheduling/batch/output_charge.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

core::InferTensor Output(size_t bytes) {
  core::InferTensor tensor;
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(std::string(bytes, 'x')));
  return tensor;
}

TEST(OutputChargeTest, MemoryCountsUntilItsLastUserIsGone) {
  base::ByteBudget budget(100'000);
  std::vector<core::InferTensor> tensors;
  tensors.push_back(Output(10'000));
  tensors.push_back(Output(100));
  EXPECT_EQ(ChargeOutputs(budget, tensors), base::Result<bool>(true));
  EXPECT_EQ(budget.used(), 10'000u);
  EXPECT_EQ(tensors[0].data.view(), std::string(10'000, 'x'));
  base::BufferSlice share = tensors[0].data.Sub(10, 20);
  tensors.clear();
  EXPECT_EQ(budget.used(), 10'000u) << "a part keeps the whole";
  EXPECT_EQ(share.view(), std::string(20, 'x'));
  share = {};
  EXPECT_EQ(budget.used(), 0u);
}

TEST(OutputChargeTest, SmallOutputsAreFree) {
  base::ByteBudget budget(1);
  std::vector<core::InferTensor> tensors;
  tensors.push_back(Output(kChargedOutputBytesMin - 1));
  EXPECT_EQ(ChargeOutputs(budget, tensors), base::Result<bool>(false));
  EXPECT_EQ(budget.used(), 0u);
}

TEST(OutputChargeTest, WithoutRoomNothingIsKept) {
  base::ByteBudget budget(15'000);
  std::vector<core::InferTensor> tensors;
  tensors.push_back(Output(10'000));
  tensors.push_back(Output(10'000));
  const auto charged = ChargeOutputs(budget, tensors);
  ASSERT_FALSE(charged.has_value());
  EXPECT_EQ(charged.error(),
            base::ResourceExhausted("the answers that clients have not read yet hold as much memory as they may (15000 "
                                    "bytes, --output-bytes-in-flight-max)"));
  EXPECT_TRUE(tensors.empty());
  EXPECT_EQ(budget.used(), 0u);
  tensors.push_back(Output(16'000));
  EXPECT_EQ(ChargeOutputs(budget, tensors).error(),
            base::ResourceExhausted("an output of 16000 bytes is more than all outputs may have (15000 bytes, "
                                    "--output-bytes-in-flight-max)"));
}

}  // namespace
}  // namespace inferd::scheduling
