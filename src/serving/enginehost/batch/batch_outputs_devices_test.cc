// Tests outputs that an engine leaves on a device, whose copies are late.

#include <gtest/gtest.h>

#include "serving/enginehost/batch/batch_outputs.h"
#include "serving/enginehost/transfer/late_device_fixture.h"
#include "tests/support/recording_execution.h"
#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

class BatchOutputsDevicesTest : public ::testing::Test {
 protected:
  BatchOutputsDevicesTest() {
    static constexpr int64_t kShape[] = {-1};
    for (const char* name : {"a", "b"}) {
      inferd_tensor_spec spec = {};
      spec.name = {name, 1};
      spec.datatype = INFERD_TYPE_UINT8;
      spec.shape = kShape;
      spec.rank = 1;
      engine_.Add(spec, &engine_.outputs);
    }
    engine_.opened.runtime = TheLateDevice().place().runtime;
    engine_.opened.device_count = 1;
    engine_.opened.pinned = pool_;
    EXPECT_TRUE(pool_->Open(Pinned).ok());
    model_ = *engine_.Take();
  }

  // Returns both outputs, in memory that the engine reuses afterwards.
  base::Result<std::vector<core::InferTensor>> Answer() {
    std::string first = "abc";
    std::string second = "defg";
    const int64_t sizes[] = {3, 4};
    inferd_output outputs[2] = {};
    const inferd_output* list[] = {&outputs[0], &outputs[1]};
    for (uint32_t i = 0; i < 2; ++i) {
      std::string& text = i == 0 ? first : second;
      outputs[i].struct_size = sizeof(inferd_output);
      outputs[i].index = i;
      outputs[i].datatype = INFERD_TYPE_UINT8;
      outputs[i].shape = &sizes[i];
      outputs[i].rank = 1;
      outputs[i].memory = {text.data(), text.size(), INFERD_MEMORY_GPU, 0};
    }
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.outputs = list;
    response.output_count = 2;
    OutputAllocations allocations;
    auto taken = TakeOutputs(model_, {0, 1}, response, execution_, &allocations);
    first = second = "xxxx";
    return taken;
  }

  const std::shared_ptr<PinnedUse> use_ = std::make_shared<PinnedUse>();
  const std::shared_ptr<PinnedPool> pool_ = std::make_shared<PinnedPool>(256, use_);  // has one block
  support::StubEngine engine_;
  support::RecordingExecution execution_;
  std::shared_ptr<const LoadedModel> model_;
};

TEST_F(BatchOutputsDevicesTest, AreOnTheCpuBeforeTheEngineMayUseItsMemoryAgain) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    TheLateDevice().Seed(seed);
    const auto outputs = Answer();
    ASSERT_TRUE(outputs.has_value()) << outputs.error().ToString();
    ASSERT_EQ((*outputs)[0].data.view(), "abc");
    ASSERT_EQ((*outputs)[1].data.view(), "defg");
    ASSERT_EQ(TheLateDevice().under_way(), 0u);
    ASSERT_EQ(pool_->used(), 0u) << "though the answer is there yet";
  }
  EXPECT_EQ(use_->blocks, 50u) << "of the first of both, always";
  EXPECT_EQ(use_->refusals, 50u) << "of the second, which comes all the same";
}

TEST_F(BatchOutputsDevicesTest, ACopyThatFailsFailsTheAnswer) {
  TheLateDevice().FailAwait(base::Internal("cuStreamSynchronize: broken"));
  EXPECT_EQ(
      Answer().error(),
      base::Internal("engine 'stub' answered in memory that the server cannot read: cuStreamSynchronize: broken"));
  TheLateDevice().FailNext(base::Internal("cuMemcpyAsync: broken"));
  EXPECT_EQ(Answer().error().message(),
            "output 'a': engine 'stub' answered in memory that the server cannot read: cuMemcpyAsync: broken");
  EXPECT_EQ(pool_->used(), 0u);
  EXPECT_EQ(TheLateDevice().under_way(), 0u);
}

}  // namespace
}  // namespace inferd::enginehost
