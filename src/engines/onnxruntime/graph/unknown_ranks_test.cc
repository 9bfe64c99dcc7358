#include "engines/onnxruntime/graph/unknown_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/wire/append.h"
#include "engines/onnxruntime/graph/onnx_fields.h"
#include "tests/support/temp_dir.h"

namespace inferd::onnxruntime {
namespace unknown_ranks_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Field(uint32_t tag, std::string_view value) {
  std::string out;
  wire::AppendBytes(wire::NumberOf(tag), value, &out);
  return out;
}

std::string Value(std::string_view name, std::string_view type) {
  return Field(kValueName, name) + Field(kValueType, type);
}

const std::string kElement = [] {
  std::string out;
  wire::AppendNumber(1, kElementFloat, &out);
  return out;
}();

TEST(UnknownRanksTest, AreTensorsWithoutAShape) {
  const std::string unknown = Field(kTypeTensor, kElement);
  const std::string scalar = Field(kTypeTensor, kElement + Field(kTensorShape, ""));
  const std::string optional = Field(kTypeOptional, Field(kOptionalElement, unknown));
  const std::string graph =
      Field(kGraphNode, std::string(100'000, 'a')) + Field(kGraphInput, Value("any", unknown)) +
      Field(kGraphInput, Value("scalar", scalar)) + Field(kGraphInput, Value("perhaps", optional)) +
      Field(kGraphValue, Value("inside", unknown)) + Field(kGraphOutput, Value("result", unknown)) +
      Field(kGraphOutput, Value("map", Field(wire::Tag(5, wire::Type::kBytes), kElement)));
  const support::TempDir dir;
  const std::string model = Field(wire::Tag(2, wire::Type::kBytes), "producer") + Field(kModelGraph, graph);
  dir.Write("model.onnx", model);
  EXPECT_THAT(FindUnknownRanks(dir.path() / "model.onnx"), ElementsAre("any", "perhaps", "result"));
  for (const size_t size : {size_t{0}, size_t{3}, size_t{5000}, model.size() - 1}) {
    dir.Write("cut.onnx", model.substr(0, size));
    EXPECT_THAT(FindUnknownRanks(dir.path() / "cut.onnx"), IsEmpty()) << size;
  }
  EXPECT_THAT(FindUnknownRanks(dir.path()), IsEmpty());
}

}  // namespace unknown_ranks_test
}  // namespace inferd::onnxruntime
