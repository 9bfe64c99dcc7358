// Tests models on GPUs in worker processes: their pools of pinned memory, and the use that the server reports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "serving/worker/worker_fixture.h"
#include "tests/support/recording_execution.h"

namespace inferd::worker {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;

constexpr uint64_t kPoolBytes = 4096;

class WorkerGpusTest : public WorkerTest {
 protected:
  // Starts a model on GPU 1, in its own process.
  void StartOnGpu(uint64_t pool_bytes) {
    engine_ = std::make_unique<IsolatingEngine>(
        *inside_, kLibrary,
        IsolationOptions{.program = kProgram, .pinned_pool_bytes = pool_bytes, .pinned_uses = uses_});
    auto model = LoadModel("m",
                           "backend: \"fake\" input { name: \"IN\" data_type: TYPE_INT32 dims: -1 } "
                           "output { name: \"OUT\" data_type: TYPE_INT32 dims: -1 } "
                           "instance_group { kind: KIND_GPU gpus: [ 1 ] } inferd { isolation: PROCESS } " +
                               Parameter("input_memory", "device") + Parameter("output_memory", "device"));
    ASSERT_TRUE(model.has_value()) << model.error().ToString();
    model_ = *std::move(model);
    auto instance = model_->CreateInstance({.kind = config::InstanceKind::kGpu, .device = 1});
    ASSERT_TRUE(instance.has_value()) << instance.error().ToString();
    instance_ = *std::move(instance);
  }

  void ExpectAnswer(size_t elements) {
    const std::vector<int32_t> numbers(elements, 7);
    RecordingExecution execution;
    execution.AddInput(0, tensor::DataType::kInt32, {static_cast<int64_t>(elements)}, SliceOf(numbers));
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(ValuesOf<int32_t>(execution.output(0).data), numbers);
  }

  const std::shared_ptr<enginehost::PinnedUses> uses_ = std::make_shared<enginehost::PinnedUses>();
  std::unique_ptr<core::EngineModel> model_;
  std::unique_ptr<core::EngineInstance> instance_;
};

TEST_F(WorkerGpusTest, TheServerSeesTheProcessesPool) {
  StartOnGpu(kPoolBytes);
  EXPECT_EQ(uses_->Total().bytes, kPoolBytes);
  ExpectAnswer(100);
  ExpectAnswer(2000);  // more than the pool has
  enginehost::PinnedUses::Sum sum = uses_->Total();
  EXPECT_EQ(sum.used, 0u);
  EXPECT_EQ(sum.blocks, 2u) << "an input and an output";
  EXPECT_EQ(sum.refusals, 2u);
  instance_.reset();
  model_.reset();
  sum = uses_->Total();
  EXPECT_EQ(sum.bytes, 0u) << "the process is gone";
  EXPECT_EQ(sum.blocks, 2u);
  EXPECT_EQ(sum.refusals, 2u);
}

TEST_F(WorkerGpusTest, WithoutAPoolCopiesAreMadeAllTheSame) {
  StartOnGpu(0);
  ExpectAnswer(100);
  const enginehost::PinnedUses::Sum sum = uses_->Total();
  EXPECT_EQ(sum.bytes + sum.blocks + sum.refusals, 0u);
}

}  // namespace
}  // namespace inferd::worker
