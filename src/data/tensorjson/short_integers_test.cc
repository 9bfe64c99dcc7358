#include "data/tensorjson/short_integers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "data/tensorjson/number_codec.h"

namespace inferd::tensorjson {
namespace short_integers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename Codec>
struct Run {
  std::vector<typename Codec::Out> values;
  std::string rest;
};

// Reads `row`, followed by text as in a body.
template <typename Codec>
Run<Codec> Read(const std::string& row, size_t room = 100) {
  const std::string text = row + "          ";
  std::vector<typename Codec::Out> values(room);
  auto* out = values.data();
  const char* const end = ReadShortIntegers<Codec>(text.data(), text.data() + text.size(), out, room);
  values.resize(static_cast<size_t>(out - values.data()));
  return {.values = std::move(values), .rest = std::string(end, text.data() + row.size())};
}

using Int32 = IntegerCodec<int32_t>;
using Uint8 = IntegerCodec<uint8_t>;

TEST(ShortIntegersTest, AreReadUpToTheLastOfTheRow) {
  const auto run = Read<Int32>("0,1, 22,333, 4444,55555,666666, 7777777,8]");
  EXPECT_THAT(run.values, ElementsAre(0, 1, 22, 333, 4444, 55555, 666666, 7777777));
  EXPECT_EQ(run.rest, "8]") << "no comma behind it";
}

TEST(ShortIntegersTest, AnythingElseIsLeftToWhoReadsOn) {
  for (const char* other : {"-1,2]", "1.5,2]", "1e3,2]", "01,2]", "00,2]", "12345678,2]", "123456789,2]", "1 ,2]", "1]",
                            ",1]", "null,1]", "+1,2]", "", "\"1\",2]"}) {
    const auto run = Read<Int32>(std::string("7, ") + other);
    EXPECT_THAT(run.values, ElementsAre(7)) << other;
    EXPECT_EQ(run.rest, other);
  }
}

TEST(ShortIntegersTest, WhiteSpaceBeyondOneSpaceIsToo) {
  EXPECT_EQ(Read<Int32>("7,  8,9]").rest, " 8,9]");
  EXPECT_EQ(Read<Int32>("7,\n8,9]").rest, "\n8,9]");
}

TEST(ShortIntegersTest, SoIsWhatTheTypeCannotHold) {
  EXPECT_THAT(Read<Uint8>("255,256,1]").values, ElementsAre(255));
  EXPECT_THAT(Read<IntegerCodec<int8_t>>("127,128,1]").values, ElementsAre(127));
  EXPECT_THAT(Read<CutIntegerCodec<uint8_t>>("255,256,257,1]").values, ElementsAre(255, 0, 1));
}

TEST(ShortIntegersTest, NoMoreThanThereIsRoomFor) {
  const auto run = Read<Uint8>("1,2,3,4]", 2);
  EXPECT_THAT(run.values, ElementsAre(1, 2));
  EXPECT_EQ(run.rest, "3,4]");
  EXPECT_THAT(Read<Uint8>("1,2]", 0).values, IsEmpty());
}

// Rows long enough for batches, with and without spaces, and with other elements among them.
TEST(ShortIntegersTest, LongRowsAreReadAsElementByElement) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    const std::string separator = round % 2 == 0 ? "," : ", ";
    const uint32_t largest = round % 3 == 0 ? 9 : round % 3 == 1 ? 255 : 99'999'999;
    const size_t odd_at = random() % 60;
    const char* const odd = std::array{"-5", "1.5", "007", "  8", "\"9\"", "[1]", "1e2", "256"}[random() % 8];
    std::string row;
    std::vector<int32_t> expected;
    bool plain = true;
    for (size_t i = 0; i < 50; ++i) {
      const auto value = static_cast<int32_t>(random() % (largest + 1));
      const std::string text = i == odd_at ? odd : std::to_string(value);
      plain = plain && (i != odd_at || text == "256") && value <= 9'999'999;
      if (plain) expected.push_back(std::stoi(text));
      row += text + separator;
    }
    const auto run = Read<Int32>(row + "3]");
    ASSERT_EQ(run.values, expected) << row;
  }
}

TEST(ShortIntegersTest, FloatsHoldThemExactly) {
  using Fp32 = FloatCodec<tensor::DataType::kFp32>;
  using Fp64 = FloatCodec<tensor::DataType::kFp64>;
  for (const uint32_t value : {0u, 1u, 255u, 4'999'999u, 9'999'999u}) {
    EXPECT_EQ(std::bit_cast<float>(Fp32::FromShort(value)), static_cast<float>(value));
    EXPECT_EQ(std::bit_cast<double>(Fp64::FromShort(value)), value);
  }
  EXPECT_FALSE(TakesShortIntegers<FloatCodec<tensor::DataType::kFp16>>) << "it does not";
  EXPECT_FALSE(TakesShortIntegers<FloatCodec<tensor::DataType::kBf16>>);
  EXPECT_FALSE(TakesShortIntegers<BoolCodec>);
}

// Texts may end anywhere, and nothing after their end may be read.
TEST(ShortIntegersTest, ShortTextsAreLeftAlone) {
  const std::string text = "1,2,3,4]";
  const std::vector<char> exact(text.begin(), text.end());
  std::vector<uint8_t> values(4);
  uint8_t* out = values.data();
  const char* const end = ReadShortIntegers<Uint8>(exact.data(), exact.data() + exact.size(), out, 4);
  EXPECT_EQ(end, exact.data());
}

}  // namespace short_integers_test
}  // namespace inferd::tensorjson
