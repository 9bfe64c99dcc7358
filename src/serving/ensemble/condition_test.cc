#include "serving/ensemble/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace inferd::ensemble {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;
using Op = config::EnsembleCondition::Test;

config::EnsembleCondition Text(Op test, const std::string& text) {
  return {.subject = "t", .test = test, .text = text};
}
config::EnsembleCondition Number(Op test, double number) { return {.subject = "t", .test = test, .number = number}; }
config::EnsembleCondition Present(bool present) { return {.subject = "t", .present = present}; }

template <typename T>
core::InferTensor Of(DataType datatype, T value, tensor::Shape shape = {1}) {
  core::InferTensor tensor;
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.data =
      base::BufferSlice(base::Buffer::CopyOf(std::string_view(reinterpret_cast<const char*>(&value), sizeof value)));
  return tensor;
}
core::InferTensor OfText(const std::string& text) {
  const auto size = static_cast<uint32_t>(text.size());
  core::InferTensor tensor = Of(DataType::kBytes, size, {1, 1});
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(std::string(tensor.data.view()) + text));
  return tensor;
}

// Returns "yes", "no", or the error.
std::string Holds(const config::EnsembleCondition& written, const core::InferTensor& tensor) {
  const auto condition = Condition::Make(written, tensor.datatype);
  if (!condition.has_value()) return condition.error().message();
  const auto holds = condition->HoldsOf(&tensor);
  return !holds.has_value() ? holds.error().message() : *holds ? "yes" : "no";
}
std::string Holds(const config::EnsembleCondition& written, const core::ParameterValue& parameter) {
  const auto condition = Condition::Make(written, DataType::kInvalid);
  if (!condition.has_value()) return condition.error().message();
  const auto holds = condition->HoldsOf(&parameter);
  return !holds.has_value() ? holds.error().message() : *holds ? "yes" : "no";
}

TEST(ConditionTest, OfNumbers) {
  EXPECT_EQ(Holds(Text(Op::kEquals, "3"), Of<int32_t>(DataType::kInt32, 3)), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "-3"), Of<int8_t>(DataType::kInt8, -3)), "yes");
  EXPECT_EQ(Holds(Text(Op::kNotEquals, "3"), Of<int32_t>(DataType::kInt32, 3)), "no");
  EXPECT_EQ(Holds(Text(Op::kEquals, "9007199254740993"), Of<int64_t>(DataType::kInt64, 9007199254740992)), "no");
  EXPECT_EQ(Holds(Text(Op::kEquals, "18446744073709551615"), Of<uint64_t>(DataType::kUint64, UINT64_MAX)), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "0.5"), Of<float>(DataType::kFp32, 0.5F)), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "1.5"), Of<uint16_t>(DataType::kFp16, 0x3E00)), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "true"), Of<uint8_t>(DataType::kBool, 1)), "yes");
  EXPECT_EQ(Holds(Number(Op::kLess, 0.5), Of<double>(DataType::kFp64, 0.25)), "yes");
  EXPECT_EQ(Holds(Number(Op::kLess, 0.5), Of<double>(DataType::kFp64, 0.5)), "no");
  EXPECT_EQ(Holds(Number(Op::kGreater, 7), Of<uint8_t>(DataType::kUint8, 8)), "yes");
  EXPECT_EQ(Holds(Number(Op::kGreater, 7), Of<float>(DataType::kFp32, NAN)), "no");
}

TEST(ConditionTest, OfTexts) {
  EXPECT_EQ(Holds(Text(Op::kEquals, "de"), OfText("de")), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "de"), OfText("d")), "no");
  EXPECT_EQ(Holds(Text(Op::kNotEquals, "de"), OfText("en")), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, ""), OfText("")), "yes");
}

TEST(ConditionTest, OfParameters) {
  EXPECT_EQ(Holds(Text(Op::kEquals, "de"), core::ParameterValue("de")), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "3"), core::ParameterValue(int64_t{3})), "yes");
  EXPECT_EQ(Holds(Text(Op::kNotEquals, "x"), core::ParameterValue(int64_t{3})), "yes");
  EXPECT_EQ(Holds(Text(Op::kEquals, "true"), core::ParameterValue(true)), "yes");
  EXPECT_EQ(Holds(Number(Op::kLess, 4), core::ParameterValue(uint64_t{3})), "yes");
  EXPECT_EQ(Holds(Number(Op::kGreater, 4), core::ParameterValue("5")), "yes");
  EXPECT_EQ(Holds(Number(Op::kGreater, 4), core::ParameterValue("five")), "is compared with a number, and is 'five'");
}

TEST(ConditionTest, OfWhatIsNotThere) {
  const core::InferTensor* const none = nullptr;
  const auto holds = [&](const config::EnsembleCondition& written) {
    return *Condition::Make(written, DataType::kInvalid)->HoldsOf(none);
  };
  EXPECT_FALSE(holds(Present(true)));
  EXPECT_TRUE(holds(Present(false)));
  EXPECT_FALSE(holds(Text(Op::kEquals, "")));
  EXPECT_TRUE(holds(Text(Op::kNotEquals, "a")));
  EXPECT_FALSE(holds(Number(Op::kLess, 1)));
  EXPECT_EQ(Holds(Present(true), Of<float>(DataType::kFp32, 1, {4})), "yes");
  EXPECT_EQ(Holds(Present(false), Of<float>(DataType::kFp32, 1)), "no");
}

TEST(ConditionTest, AModelMayGiveAnotherDatatypeThanItDeclares) {
  const auto number = Condition::Make(Number(Op::kLess, 3), DataType::kInt32);
  const core::InferTensor text = OfText("2");
  EXPECT_EQ(number->HoldsOf(&text).error().message(), "is compared with a number, and is a text");
  const auto name = Condition::Make(Text(Op::kEquals, "two"), DataType::kBytes);
  const core::InferTensor two = Of<int32_t>(DataType::kInt32, 2);
  EXPECT_EQ(name->HoldsOf(&two).error().message(), "is compared with a text, and is a number");
}

TEST(ConditionTest, WhatCannotBeCompared) {
  EXPECT_EQ(Holds(Text(Op::kEquals, "3"), Of<int64_t>(DataType::kInt32, 3, {2})),
            "is compared with one value, and has shape [2]");
  EXPECT_EQ(Holds(Text(Op::kEquals, "three"), Of<int32_t>(DataType::kInt32, 3)), "'three' is no value of INT32");
  EXPECT_EQ(Holds(Text(Op::kEquals, "2"), Of<uint8_t>(DataType::kBool, 1)), "'2' is no value of BOOL");
  EXPECT_THAT(Holds(Number(Op::kLess, 3), OfText("2")), HasSubstr("texts (BYTES) are not less"));
}

}  // namespace
}  // namespace inferd::ensemble
