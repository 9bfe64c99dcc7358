#include "protocols/v2/region_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "protocols/clientshm/shared_object_fixture.h"

namespace inferd::v2 {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBytes = 4096;

core::Parameters In(const std::string& region, uint64_t size, uint64_t offset = 0) {
  return {{"shared_memory_region", region}, {"shared_memory_byte_size", size}, {"shared_memory_offset", offset}};
}

class RegionTensorsTest : public ::testing::Test {
 protected:
  RegionTensorsTest() {
    EXPECT_TRUE(registry_.Register({.name = "r", .key = object_.key(), .offset = 0, .byte_size = kBytes}).ok());
  }

  void AddInput(tensor::DataType type, core::Parameters parameters) {
    core::InferTensor& input = request_.inputs.emplace_back();
    input.name = "x";
    input.datatype = type;
    input.parameters = std::move(parameters);
  }
  auto Attach() { return RegionTensors::Attach(request_, &registry_, "not served"); }
  std::string Refusal() { return Attach().error().ToString(); }
  core::InferResponse Response(size_t bytes) const {
    core::InferResponse response;
    response.outputs.resize(2);
    response.outputs[0].name = "y";
    response.outputs[1].name = "z";
    response.outputs[1].data = base::BufferSlice(request_.outputs[1].memory).Sub(0, bytes);
    return response;
  }

  support::SharedObject object_{kBytes};
  clientshm::Registry registry_{clientshm::Limits{}};
  core::InferRequest request_;
};

TEST_F(RegionTensorsTest, ARequestWithoutRegionsHasNone) {
  AddInput(tensor::DataType::kInt32, {{"own", true}});
  EXPECT_EQ(*Attach(), nullptr);
  EXPECT_EQ(request_.inputs[0].parameters.size(), 1u);
}

TEST_F(RegionTensorsTest, InputsLieInTheClientsMemory) {
  AddInput(tensor::DataType::kInt32, In("r", 16, 64));
  request_.inputs[0].parameters.emplace_back("own", true);
  const auto tensors = *Attach();
  const core::InferTensor& input = request_.inputs[0];
  EXPECT_EQ(input.parameters, (core::Parameters{{"own", true}}));
  ASSERT_EQ(input.data.size(), 16u);
  object_.bytes()[64] = std::byte{7};
  EXPECT_EQ(input.data.data()[0], std::byte{7});
}

TEST_F(RegionTensorsTest, TextsAreCopiedBecauseTheirLengthsAreChecked) {
  std::memcpy(object_.bytes().data(), "\3\0\0\0abc", 7);
  AddInput(tensor::DataType::kBytes, In("r", 7));
  const auto tensors = *Attach();
  object_.bytes()[0] = std::byte{0x7f};
  EXPECT_EQ(request_.inputs[0].data.view(), std::string_view("\3\0\0\0abc", 7));
}

TEST_F(RegionTensorsTest, OutputsBecomeParameters) {
  request_.outputs = {{.name = "y"}, {.name = "z", .parameters = In("r", 100, 32)}};
  const auto tensors = *Attach();
  ASSERT_EQ(request_.outputs[1].memory.size(), 100u);
  EXPECT_FALSE(request_.outputs[0].memory);
  core::InferResponse response = Response(60);
  EXPECT_TRUE(tensors->Settle(response, RegionTensors::Answer::kPlaces).ok());
  EXPECT_TRUE(response.outputs[1].data.empty());
  EXPECT_EQ(response.outputs[1].parameters, (core::Parameters{{"shared_memory_region", std::string("r")},
                                                              {"shared_memory_byte_size", int64_t{60}},
                                                              {"shared_memory_offset", int64_t{32}}}));
  core::InferResponse silent = Response(60);
  EXPECT_TRUE(tensors->Settle(silent, RegionTensors::Answer::kShapes).ok());
  EXPECT_TRUE(silent.outputs[1].data.empty());
  EXPECT_TRUE(silent.outputs[1].parameters.empty());
}

TEST_F(RegionTensorsTest, AnOutputThatTheModelLeftOutIsNowhere) {
  request_.outputs = {{.name = "y"}, {.name = "z", .parameters = In("r", 100)}};
  const auto tensors = *Attach();
  core::InferResponse without = Response(4);
  without.final = false;
  without.outputs.pop_back();
  EXPECT_TRUE(tensors->Settle(without, RegionTensors::Answer::kPlaces).ok());
  EXPECT_TRUE(without.outputs[0].parameters.empty());
  core::InferResponse alone = Response(4);
  alone.outputs.erase(alone.outputs.begin());
  EXPECT_TRUE(tensors->Settle(alone, RegionTensors::Answer::kPlaces).ok());
  EXPECT_EQ(alone.outputs[0].parameters.size(), 2u);
}

TEST_F(RegionTensorsTest, TheUseEndsWithTheFinalResponse) {
  request_.outputs = {{.name = "y"}, {.name = "z", .parameters = In("r", 100)}};
  const auto tensors = *Attach();
  core::InferResponse first = Response(4);
  first.final = false;
  EXPECT_TRUE(tensors->Settle(first, RegionTensors::Answer::kShapes).ok());
  EXPECT_THAT(registry_.Unregister("r").ToString(), HasSubstr("in use"));
  core::InferResponse last = Response(4);
  EXPECT_TRUE(tensors->Settle(last, RegionTensors::Answer::kShapes).ok());
  EXPECT_TRUE(registry_.Unregister("r").ok());
  object_.bytes()[0] = std::byte{1};
  EXPECT_EQ(request_.outputs[1].memory.data()[0], std::byte{1});  // it is still mapped
}

TEST_F(RegionTensorsTest, WhatWasNotThereAllTheTimeFails) {
  AddInput(tensor::DataType::kInt32, In("r", kBytes));
  const auto tensors = *Attach();
  object_.Resize(0);
  EXPECT_EQ(request_.inputs[0].data.data()[0], std::byte{0});
  object_.Resize(kBytes);
  core::InferResponse response;
  EXPECT_THAT(tensors->Settle(response, RegionTensors::Answer::kShapes).ToString(),
              HasSubstr("FAILED_PRECONDITION: shared memory region 'r' lost"));
}

TEST_F(RegionTensorsTest, ErrorsNameTensorParameterAndReason) {
  const auto refusal = [&](core::Parameters parameters) {
    request_.inputs.clear();
    AddInput(tensor::DataType::kInt32, std::move(parameters));
    return Refusal();
  };
  EXPECT_EQ(refusal({{"shared_memory_byte_size", int64_t{4}}}),
            "INVALID_ARGUMENT: input 'x': parameter 'shared_memory_region': expected a name, got none");
  EXPECT_EQ(refusal({{"shared_memory_region", std::string("r")}}),
            "INVALID_ARGUMENT: input 'x': parameter 'shared_memory_byte_size': expected a number of bytes, got none");
  EXPECT_EQ(refusal(In("s", 4)), "NOT_FOUND: input 'x': Unable to find shared memory region: 's'");
  EXPECT_THAT(refusal(In("r", 4, kBytes)), HasSubstr("input 'x': Invalid offset for shared memory region: 'r'"));
  request_.inputs[0].data = base::BufferSlice(base::Buffer::CopyOf("data"));
  request_.inputs[0].parameters = In("r", 4);
  EXPECT_EQ(Refusal(), "INVALID_ARGUMENT: input 'x': expected data or a shared memory region, got both");
  EXPECT_THAT(refusal({{"shared_memory_region", int64_t{1}}, {"shared_memory_byte_size", int64_t{4}}}),
              HasSubstr("expected a name, got 1"));
  EXPECT_THAT(refusal({{"shared_memory_region", std::string("r")}, {"shared_memory_byte_size", int64_t{-4}}}),
              HasSubstr("expected a number of bytes, got -4"));
}

TEST_F(RegionTensorsTest, WithoutARegistryTheRegionIsNamed) {
  for (const bool reversed : {false, true}) {
    core::Parameters parameters = In("r", 4);
    if (reversed) std::ranges::reverse(parameters);
    request_.inputs.clear();
    AddInput(tensor::DataType::kInt32, std::move(parameters));
    EXPECT_EQ(RegionTensors::Attach(request_, nullptr, "not served").error().ToString(),
              "UNIMPLEMENTED: input 'x': parameter 'shared_memory_region': not served");
  }
}

}  // namespace
}  // namespace inferd::v2
