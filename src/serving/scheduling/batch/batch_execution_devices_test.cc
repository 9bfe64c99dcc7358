// Tests which outputs stay on a device and which do not. An access to the device's memory would end this process.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/device_memory.h"
#include "serving/scheduling/batch/batch_fixture.h"
#include "tests/support/far_memory.h"

namespace inferd::scheduling {
namespace {

using inferd::support::FarMemory;

class BatchExecutionDevicesTest : public ::testing::Test, public BatchFixture {
 protected:
  BatchExecutionDevicesTest() : BatchFixture(OnDevice()) {}

  static core::ModelSignature OnDevice() {
    core::ModelSignature signature = DefaultSignature();
    signature.outputs[0].takes_device_memory = true;
    return signature;
  }

  std::unique_ptr<QueueEntry> Wanting(bool on_device, const std::string& output = "OUT") {
    auto entry = Request(1, {1, 2}, {output});
    entry->queued.request->outputs[0].on_device = on_device;
    return entry;
  }

  FarMemory& far_ = FarMemory::New();
};

TEST_F(BatchExecutionDevicesTest, AnOutputIsThereWhereAllThatWaitForItTakeItThere) {
  struct Case {
    std::vector<bool> on_device;
    bool there;
  };
  for (const Case& each :
       {Case{{true}, true}, Case{{false}, false}, Case{{true, true}, true}, Case{{true, false}, false}}) {
    BatchExecution execution(context);
    for (const bool on_device : each.on_device) execution.Add(Wanting(on_device));
    ASSERT_TRUE(execution.Begin(0));
    EXPECT_EQ(execution.TakesOnDevice(0), each.there);
    EXPECT_EQ(execution.AllocateOutput(0, 16, far_.place()).place().readable(), !each.there);
    EXPECT_TRUE(execution.AllocateOutput(0, 16, {}).place().readable()) << "which is where the engine wants it";
    execution.RespondAll({base::Internal("no more")});
    execution.Finish();
  }
}

TEST_F(BatchExecutionDevicesTest, BytesAndOutputsThatNoRequestNamesAreNot) {
  BatchExecution execution(context);
  execution.Add(Wanting(true, "TEXT"));
  ASSERT_TRUE(execution.Begin(0));
  EXPECT_FALSE(execution.TakesOnDevice(1));
  EXPECT_FALSE(execution.TakesOnDevice(0));
  execution.RespondAll({base::Internal("no more")});
  execution.Finish();
}

TEST_F(BatchExecutionDevicesTest, AFullDeviceIsNoReasonToFail) {
  BatchExecution execution(context);
  execution.Add(Wanting(true));
  ASSERT_TRUE(execution.Begin(0));
  EXPECT_TRUE(execution.AllocateOutput(0, size_t{2} << 20, far_.place()).place().readable());
  execution.RespondAll({base::Internal("no more")});
  execution.Finish();
}

TEST_F(BatchExecutionDevicesTest, EachRequestGetsItsOwnPartOfWhatIsThere) {
  BatchExecution execution(context);
  execution.Add(Wanting(true));
  execution.Add(Wanting(true));
  ASSERT_TRUE(execution.Begin(0));
  const base::BufferSlice whole = far_.SliceOf("0123456789abcdef");
  core::InferTensor tensor{
      .name = "OUT", .datatype = tensor::DataType::kInt32, .shape = {2, 2}, .data = whole, .parameters = {}};
  execution.RespondAll({.outputs = {tensor}});
  execution.Finish();
  ASSERT_EQ(answers(0).size(), 1u);
  ASSERT_EQ(answers(1).size(), 1u);
  EXPECT_EQ(far_.Read(answers(0)[0].outputs[0].data), "01234567");
  EXPECT_EQ(far_.Read(answers(1)[0].outputs[0].data), "89abcdef");
  EXPECT_EQ(far_.copies(), 0);
}

}  // namespace
}  // namespace inferd::scheduling
