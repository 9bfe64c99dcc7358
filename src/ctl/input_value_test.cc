#include "ctl/input_value.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace inferd::ctl {
namespace {

using tensor::DataType;
using tensor::Shape;

template <typename T>
std::vector<T> Values(const NamedTensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

ModelSignature OneInput(DataType type, Shape shape) {
  ModelSignature model;
  model.name = "m";
  model.inputs = {{"x", type, std::move(shape)}};
  return model;
}

NamedTensor Make(const ModelSignature& model, const std::string& value, std::vector<std::string> shapes = {}) {
  const auto inputs = MakeInputs(model, {.values = {"x=" + value}, .shapes = std::move(shapes), .fill = ""});
  EXPECT_TRUE(inputs.has_value()) << (inputs.has_value() ? "" : inputs.error().message());
  return inputs.has_value() ? inputs->front() : NamedTensor();
}

TEST(InputValueTest, JsonTakesItsShapeFromTheModelOrItsNesting) {
  const ModelSignature model = OneInput(DataType::kInt32, {-1, 2});
  const NamedTensor flat = Make(model, "[1,2,3,4]");
  EXPECT_EQ(flat.shape, (Shape{2, 2}));
  EXPECT_EQ(Values<int32_t>(flat), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Make(model, " [[1, 2], [3, 4], [5, 6]] ").shape, (Shape{3, 2}));
  EXPECT_EQ(Make(OneInput(DataType::kFp32, {1}), "2.5").shape, (Shape{1}));
  EXPECT_EQ(Make(OneInput(DataType::kBytes, {-1}), R"(["a","b"])").data.size(), 10u);
}

TEST(InputValueTest, GeneratesWhatTheModelWants) {
  EXPECT_EQ(Values<uint8_t>(Make(OneInput(DataType::kUint8, {3}), "range")), (std::vector<uint8_t>{0, 1, 2}));
  EXPECT_EQ(Values<float>(Make(OneInput(DataType::kFp32, {-1, 2}), "ones")), (std::vector<float>{1, 1}));
  EXPECT_EQ(Values<uint8_t>(Make(OneInput(DataType::kBool, {3}), "range")), (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(Make(OneInput(DataType::kFp32, {-1, 2}), "zeros", {"x=5,2"}).shape, (Shape{5, 2}));
  const auto random = Values<double>(Make(OneInput(DataType::kFp64, {100}), "random"));
  for (const double value : random) EXPECT_TRUE(value >= 0 && value < 1) << value;
  EXPECT_NE(random[0], random[1]);
}

TEST(InputValueTest, RandomValuesDifferFromInputToInputAndFromSeedToSeed) {
  ModelSignature model = OneInput(DataType::kInt32, {50});
  model.inputs.push_back({"y", DataType::kInt32, {50}});
  const auto values = [&](uint32_t seed) {
    const auto inputs = MakeInputs(model, {.values = {"y=random"}, .shapes = {}, .fill = "random", .seed = seed});
    return std::pair(Values<int32_t>(inputs.value()[0]), Values<int32_t>(inputs.value()[1]));
  };
  const auto first = values(1);
  EXPECT_NE(first.first, first.second);
  EXPECT_EQ(values(1), first);
  EXPECT_NE(values(2).first, first.first);
  EXPECT_NE(values(2).second, first.second);
  EXPECT_NE(values(2).first, first.second);
}

TEST(InputValueTest, ReadsRawFiles) {
  const std::string path = ::testing::TempDir() + "/input_" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << std::string("\1\0\2\0\3\0\4\0", 8);
  const NamedTensor tensor = Make(OneInput(DataType::kInt16, {-1, 2}), "@" + path);
  EXPECT_EQ(tensor.shape, (Shape{2, 2}));
  EXPECT_EQ(Values<int16_t>(tensor), (std::vector<int16_t>{1, 2, 3, 4}));
  std::remove(path.c_str());
}

TEST(InputValueTest, ErrorsNameTheInput) {
  const ModelSignature model = OneInput(DataType::kInt32, {-1, 2});
  const struct {
    InputTexts texts;
    const char* said;
  } kCases[] = {
      {{.values = {}, .shapes = {}, .fill = ""}, "input 'x' (INT32 [-1,2]) has no value"},
      {{.values = {"y=1"}, .shapes = {}, .fill = "ones"}, "has no input 'y'; it has 'x' (INT32 [-1,2])"},
      {{.values = {"X=1"}, .shapes = {}, .fill = ""},
       "has no input 'X'; it has 'x' (INT32 [-1,2]) (did you mean 'x'?)"},
      {{.values = {}, .shapes = {"yy=1"}, .fill = "ones"}, "has no input 'yy'; it has 'x' (INT32 [-1,2])"},
      {{.values = {"x"}, .shapes = {}, .fill = ""}, "expected NAME=VALUE"},
      {{.values = {"x=1", "x=2"}, .shapes = {}, .fill = ""}, "given twice"},
      {{.values = {"x=[1,2.5]"}, .shapes = {}, .fill = ""}, "input 'x' (INT32 [-1,2]): data element 1"},
      {{.values = {"x=[1,"}, .shapes = {}, .fill = ""}, "input 'x'"},
      {{.values = {"x=@/none"}, .shapes = {}, .fill = ""}, "cannot read the file '/none'"},
      {{.values = {"x=zeros"}, .shapes = {"x=a"}, .fill = ""}, "expected dimensions"},
      {{.values = {"x=zeros"}, .shapes = {"x=99999999,99999999"}, .fill = ""}, "too large"},
  };
  for (const auto& c : kCases) {
    const auto inputs = MakeInputs(model, c.texts);
    ASSERT_FALSE(inputs.has_value()) << c.said;
    EXPECT_NE(inputs.error().message().find(c.said), std::string::npos) << inputs.error().message();
  }
}

}  // namespace
}  // namespace inferd::ctl
