#include "serving/core/scheduler.h"

#include <gtest/gtest.h>

#include "serving/core/held_versions_fixture.h"
#include "serving/core/local_dispatcher.h"
#include "tests/support/far_memory.h"

namespace inferd::core {
namespace {

using base::StatusCode;
using inferd::support::FarMemory;

// Requests to model 'm'. Its signature 0 keeps no state and accepts no device memory; signature 1 does both.
class QueuedRequestTest : public HeldVersionsTest {
 protected:
  QueuedRequestTest() {
    auto other = std::make_shared<ModelSignature>();
    other->name = "other";
    other->sequences = true;
    other->inputs = {{.name = "IN", .datatype = tensor::DataType::kInt8, .shape = {-1}, .takes_device_memory = true}};
    other->outputs = {{.name = "OUT", .datatype = tensor::DataType::kInt8, .shape = {-1}}};
    std::vector<ModelVersion::Function> others(1);
    others[0] = {.signature = std::move(other), .scheduler = std::make_unique<HoldingScheduler>(held_)};
    version_ = MakeVersion(1, std::move(others));
    Publish({Ready(version_)});
  }
  ~QueuedRequestTest() override {
    for (QueuedRequest& queued : held_) queued.Fail(base::Internal("the test ends"));
    held_.clear();
  }

  void Infer(std::unique_ptr<InferRequest> request) {
    dispatcher_.Infer(dispatcher_.Find("m", "").value(), std::move(request), Record());
  }

  std::shared_ptr<const ModelVersion> version_;
  InflightLimit inflight_{{.requests = 8}};
  LocalDispatcher dispatcher_{publisher_, inflight_, clock_};
};

TEST_F(QueuedRequestTest, SequencesAreForModelsThatKeepState) {
  for (const uint32_t signature : {0, 1}) {
    auto request = Request();
    request->signature = signature;
    request->sequence = {.id = uint64_t{7}, .start = true};
    Infer(std::move(request));
  }
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status,
            base::Unimplemented("parameter 'sequence_id': model 'm' keeps no state between requests"));
  ASSERT_EQ(held_.size(), 1u);
  EXPECT_TRUE(held_[0].request->sequence.start);
}

TEST_F(QueuedRequestTest, AFlagWithoutASequenceIsNone) {
  auto request = Request();
  request->sequence.start = true;
  Infer(std::move(request));
  EXPECT_EQ(held_.size(), 1u);
}

TEST_F(QueuedRequestTest, InputsOnADeviceStayThereOrAreBroughtToTheCpu) {
  FarMemory& device = FarMemory::New();
  for (const uint32_t signature : {0, 1}) {
    auto request = Request();
    request->signature = signature;
    request->inputs[0].data = device.SliceOf("ab");
    Infer(std::move(request));
  }
  ASSERT_EQ(held_.size(), 2u);
  const base::BufferSlice& brought = held_[0].request->inputs[0].data;
  EXPECT_TRUE(brought.place().readable());
  EXPECT_EQ(brought.view(), "ab");
  EXPECT_EQ(held_[1].request->inputs[0].data.place(), device.place());
  EXPECT_EQ(device.copies(), 1);
}

TEST_F(QueuedRequestTest, MemoryOfAnUnknownDeviceIsRefused) {
  auto request = Request();
  auto* const nowhere = reinterpret_cast<std::byte*>(uintptr_t{4096});
  request->inputs[0].data = base::BufferSlice(
      base::Buffer::Wrap(nowhere, 2, [] {}, {.kind = base::MemoryKind::kGpu, .runtime = 0, .device = 0}));
  Infer(std::move(request));
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].status.code(), StatusCode::kInternal);
}

TEST_F(QueuedRequestTest, OutputsComeInTheMemoryThatTheRequestNames) {
  const base::Buffer memory = base::Buffer::Allocate(4);
  auto request = Request();
  request->outputs = {{.name = "OUT", .parameters = {}, .memory = memory}};
  Infer(std::move(request));
  ASSERT_EQ(held_.size(), 1u);
  InferResponse response;
  response.outputs.push_back({.name = "OUT",
                              .datatype = tensor::DataType::kInt8,
                              .shape = {2},
                              .data = base::BufferSlice(base::Buffer::CopyOf("xy")),
                              .parameters = {}});
  held_[0].Answer(std::move(response));
  held_.clear();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].outputs[0].data.data(), memory.data());
  EXPECT_EQ(answers_[0].outputs[0].data.view(), "xy");
}

}  // namespace
}  // namespace inferd::core
