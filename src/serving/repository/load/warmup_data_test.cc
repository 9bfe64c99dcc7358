#include "serving/repository/load/warmup_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <vector>

#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

using config::WarmupData;
using config::WarmupInput;
using tensor::DataType;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 64;

WarmupInput Input(DataType datatype, WarmupData data, tensor::Shape dims = {kColumns}) {
  return {.datatype = datatype, .dims = std::move(dims), .data = data, .file = ""};
}

std::string Make(const WarmupInput& input, int64_t rows = kRows, const std::filesystem::path& dir = "") {
  std::minstd_rand random(1);
  const auto buffer = MakeWarmupData(input, rows, dir, random);
  if (!buffer.has_value()) return std::string(buffer.error().message());
  return {reinterpret_cast<const char*>(buffer->data()), buffer->size()};
}

template <typename T>
std::vector<T> Random(DataType datatype) {
  const std::string bytes = Make(Input(datatype, WarmupData::kRandom));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  EXPECT_EQ(values.size(), kRows * kColumns);
  return values;
}

template <typename T>
bool RowsDiffer(const std::vector<T>& values) {
  return !std::equal(values.begin(), values.begin() + kColumns, values.begin() + kColumns);
}

template <typename T>
void ExpectFractions(const std::vector<T>& values) {
  EXPECT_THAT(values, Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(1))));
  EXPECT_GT(std::set<T>(values.begin(), values.end()).size(), 64u) << "not just a few";
  EXPECT_TRUE(std::ranges::any_of(values, [](T value) { return value > T(0.25) && value < T(0.75); }));
  EXPECT_TRUE(RowsDiffer(values));
}

std::vector<float> Widened(const std::vector<uint16_t>& bits, float (*widen)(uint16_t)) {
  std::vector<float> values;
  for (const uint16_t each : bits) values.push_back(widen(each));
  return values;
}

TEST(WarmupDataTest, RandomFloatsAreFractions) {
  ExpectFractions(Random<float>(DataType::kFp32));
  ExpectFractions(Random<double>(DataType::kFp64));
  ExpectFractions(Widened(Random<uint16_t>(DataType::kFp16), tensor::HalfToFloat));
  ExpectFractions(Widened(Random<uint16_t>(DataType::kBf16), tensor::Bf16ToFloat));
}

template <typename T>
void ExpectZerosAndOnes(DataType datatype) {
  const std::vector<T> values = Random<T>(datatype);
  EXPECT_EQ(std::set<T>(values.begin(), values.end()), (std::set<T>{0, 1}));
  EXPECT_TRUE(RowsDiffer(values));
}

TEST(WarmupDataTest, RandomIntegersAreIndicesOfAnything) {
  for (const DataType type : {DataType::kBool, DataType::kUint8, DataType::kInt8}) ExpectZerosAndOnes<uint8_t>(type);
  for (const DataType type : {DataType::kUint16, DataType::kInt16}) ExpectZerosAndOnes<uint16_t>(type);
  for (const DataType type : {DataType::kUint32, DataType::kInt32}) ExpectZerosAndOnes<uint32_t>(type);
  for (const DataType type : {DataType::kUint64, DataType::kInt64}) ExpectZerosAndOnes<uint64_t>(type);
}

std::vector<std::string> Texts(WarmupData data) {
  const std::string bytes = Make(Input(DataType::kBytes, data));
  EXPECT_TRUE(tensor::CheckPacked(std::as_bytes(std::span(bytes)), kRows * kColumns).ok());
  std::vector<std::string> texts;
  for (const std::string_view text : tensor::PackedElements(std::as_bytes(std::span(bytes)))) texts.emplace_back(text);
  return texts;
}

TEST(WarmupDataTest, RandomTextsAreDigits) {
  const std::vector<std::string> texts = Texts(WarmupData::kRandom);
  EXPECT_THAT(texts, Each(::testing::MatchesRegex("[0-9]")));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 10u);
  EXPECT_TRUE(RowsDiffer(texts));
}

TEST(WarmupDataTest, TheSameSeedDrawsTheSameAndInputsDiffer) {
  const WarmupInput input = Input(DataType::kFp32, WarmupData::kRandom);
  EXPECT_EQ(Make(input), Make(input));
  std::minstd_rand random(1);
  const auto first = MakeWarmupData(input, kRows, "", random);
  const auto second = MakeWarmupData(input, kRows, "", random);
  EXPECT_NE(base::BufferSlice(*first).view(), base::BufferSlice(*second).view());
}

TEST(WarmupDataTest, Zeros) {
  EXPECT_EQ(Make(Input(DataType::kFp32, WarmupData::kZero, {2, 3}), 2), std::string(48, '\0'));
  EXPECT_THAT(Texts(WarmupData::kZero), Each(""));
  EXPECT_EQ(Make(Input(DataType::kFp32, WarmupData::kZero, {0, 3})), "");
}

TEST(WarmupDataTest, AFileIsEachRow) {
  inferd::support::TempDir dir;
  dir.Write("raw", "0123");
  WarmupInput input = Input(DataType::kFp32, WarmupData::kFile, {1});
  input.file = "raw";
  EXPECT_EQ(Make(input, 2, dir.path()), "01230123");
  input.file = "../raw";
  EXPECT_THAT(Make(input, 2, dir.path()), HasSubstr("../raw"));
  input.file = "none";
  EXPECT_THAT(Make(input, 2, dir.path()), HasSubstr("none"));
}

TEST(WarmupDataTest, WhatIsTooLargeIsRefused) {
  EXPECT_EQ(Make(Input(DataType::kInvalid, WarmupData::kZero)), "no such tensor");
  EXPECT_EQ(Make(Input(DataType::kFp32, WarmupData::kRandom, {int64_t{1} << 40})), "no such tensor");
  EXPECT_THAT(Make(Input(DataType::kFp32, WarmupData::kZero, {1024}), int64_t{1} << 31), HasSubstr("bytes"));
}

}  // namespace
}  // namespace inferd::repository
