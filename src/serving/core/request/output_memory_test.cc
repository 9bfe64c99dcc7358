#include "serving/core/request/output_memory.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/far_memory.h"

namespace inferd::core {
namespace {

using inferd::support::FarMemory;

// A request for outputs A and B, each of which may have its own memory, and the response to it.
class OutputMemoryTest : public ::testing::Test {
 protected:
  OutputMemoryTest() { request_.outputs = {{.name = "A"}, {.name = "B"}}; }

  static InferTensor Output(std::string name, base::BufferSlice data) {
    InferTensor output;
    output.name = std::move(name);
    output.data = std::move(data);
    return output;
  }
  static base::BufferSlice Bytes(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

  void Answer(base::BufferSlice a, base::BufferSlice b) {
    Completion completion =
        IntoOutputMemory(request_, Completion([this](InferResponse&& response) { answer_ = std::move(response); }));
    InferResponse response;
    response.outputs.push_back(Output("A", std::move(a)));
    response.outputs.push_back(Output("B", std::move(b)));
    completion.Send(std::move(response));
  }

  InferRequest request_;
  std::optional<InferResponse> answer_;
};

TEST_F(OutputMemoryTest, ARequestNamesMemoryOrNone) {
  EXPECT_FALSE(NamesOutputMemory(request_));
  request_.outputs[1].memory = base::Buffer::Allocate(1);
  EXPECT_TRUE(NamesOutputMemory(request_));
}

TEST_F(OutputMemoryTest, BytesAreCopiedToWhereTheyAreWanted) {
  base::Buffer memory = base::Buffer::Allocate(8);
  request_.outputs[1].memory = memory;
  const base::BufferSlice first = Bytes("first");
  Answer(first, Bytes("second"));
  EXPECT_EQ(answer_->outputs[0].data.data(), first.data());
  EXPECT_EQ(answer_->outputs[1].data.data(), memory.data());
  EXPECT_EQ(answer_->outputs[1].data.view(), "second");
}

TEST_F(OutputMemoryTest, AnOutputThatTheModelLeftOutTakesNoMemory) {
  request_.outputs[0].memory = base::Buffer::Allocate(8);
  base::Buffer memory = base::Buffer::Allocate(8);
  request_.outputs[1].memory = memory;
  Completion completion =
      IntoOutputMemory(request_, Completion([this](InferResponse&& response) { answer_ = std::move(response); }));
  InferResponse response;
  response.outputs.push_back(Output("B", Bytes("second")));
  completion.Send(std::move(response));
  ASSERT_TRUE(answer_->status.ok());
  EXPECT_EQ(answer_->outputs[0].data.data(), memory.data());
}

TEST_F(OutputMemoryTest, WhatAnEngineWroteThereStays) {
  FarMemory& device = FarMemory::New();
  const base::BufferSlice written = device.SliceOf("first");
  request_.outputs[0].memory = written.owner();
  Answer(written, Bytes("second"));
  EXPECT_EQ(device.copies(), 0);
  EXPECT_EQ(answer_->outputs[0].data.data(), written.data());
}

TEST_F(OutputMemoryTest, MemoryOfADeviceIsReached) {
  FarMemory& device = FarMemory::New();
  request_.outputs[0].memory = *device.Allocate(device.place(), 5);
  Answer(Bytes("first"), Bytes("second"));
  ASSERT_TRUE(answer_->status.ok());
  EXPECT_EQ(answer_->outputs[0].data.place(), device.place());
  EXPECT_EQ(device.Read(answer_->outputs[0].data), "first");
}

TEST_F(OutputMemoryTest, WhatDoesNotFitIsRefused) {
  request_.outputs[0].memory = base::Buffer::Allocate(4);
  Answer(Bytes("first"), Bytes("second"));
  EXPECT_EQ(answer_->status,
            base::InvalidArgument("shared memory size specified with the request for output 'A' (4 bytes) should be at "
                                  "least 5 bytes to hold the results"));
  EXPECT_TRUE(answer_->outputs.empty());
}

}  // namespace
}  // namespace inferd::core
