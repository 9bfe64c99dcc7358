#include "data/tensorjson/short_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "data/tensorjson/number_codec.h"

namespace inferd::tensorjson {
namespace short_rows_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Int32 = IntegerCodec<int32_t>;
using Uint8 = IntegerCodec<uint8_t>;

template <typename Codec>
struct Rows {
  std::vector<typename Codec::Out> values;
  std::string rest;
};

// Reads `rows`, followed by more text as in a body.
template <typename Codec = Int32>
Rows<Codec> Read(const std::string& rows, size_t size, size_t room = 1000) {
  const std::string text = rows + std::string(32, ' ');
  std::vector<typename Codec::Out> values(room);
  auto* out = values.data();
  const char* const end = ReadShortRows<Codec>(text.data(), text.data() + text.size(), size, out, room);
  values.resize(static_cast<size_t>(out - values.data()));
  return {.values = std::move(values), .rest = std::string(end, text.data() + rows.size())};
}

#if defined(__SSE2__)
TEST(ShortRowsTest, AreReadUpToTheLast) {
  const auto rows = Read("[1,22,333],[0, 255, 7], [4,5,6],[7,8,9]]", 3);
  EXPECT_THAT(rows.values, ElementsAre(1, 22, 333, 0, 255, 7, 4, 5, 6));
  EXPECT_EQ(rows.rest, "[7,8,9]]") << "no row behind it";
}

TEST(ShortRowsTest, OfAllSizes) {
  std::mt19937 random(3);
  for (size_t size = 1; size <= kShortRowSizeMax; ++size) {
    for (const std::string between : {",", ", "}) {
      std::string text;
      std::vector<int32_t> expected;
      for (size_t i = 0; i < 100 * size; ++i) {
        // Four numbers of three digits with spaces take more than sixteen bytes.
        expected.push_back(static_cast<int32_t>(random() % (size == 4 ? 100 : 1000)));
        text += (i % size > 0 ? between : i > 0 ? "]" + between + "[" : "[") + std::to_string(expected.back());
      }
      const auto rows = Read(text + "]" + between + "[", size);
      EXPECT_EQ(rows.values, expected) << size;
      EXPECT_EQ(rows.rest, "[");
    }
  }
}

TEST(ShortRowsTest, NoMoreThanThereIsRoomFor) {
  const auto rows = Read("[1,2],[3,4],[5,6]", 2, 3);
  EXPECT_THAT(rows.values, ElementsAre(1, 2));
  EXPECT_EQ(rows.rest, "[3,4],[5,6]");
}
#endif

TEST(ShortRowsTest, AnythingElseIsLeftToWhoReadsOn) {
  for (const std::string other :
       {"[1,2]",     "[1,2,3,4]", "[]",         "[1,2,]",    "[,1,2]",     "[1,,2]",      "[1,2,-3]",  "[1,2.0,3]",
        "[1,2,1e1]", "[01,2,3]",  "[1,2,3000]", "[1 ,2,3]",  "[ 1,2,3]",   "[1,2,3 ]",    "[1,  2,3]", "[1,\n2,3]",
        "[1,2,3]]",  "[1,2]3]",   "[1]2,3]",    "[[1],2,3]", "[1,2,null]", "[1,2,\"3\"]", "1,2,3]",    "]",
        "",          "[1,2,3",    "[1, ,3]",    "[1,2,3] ",  "[1:2,3]"}) {
    const auto rows = Read(other + ",[4,5,6]", 3);
    EXPECT_THAT(rows.values, IsEmpty()) << other;
    EXPECT_EQ(rows.rest, other + ",[4,5,6]");
  }
  EXPECT_THAT(Read("[1,2,3],\n[4,5,6],[7,8,9]", 3).values, IsEmpty());
  EXPECT_THAT(Read("[1,2,3],  [4,5,6],[7,8,9]", 3).values, IsEmpty());
}

TEST(ShortRowsTest, SoIsWhatTheTypeCannotHold) {
  EXPECT_THAT(Read<Uint8>("[1,2,256],[4,5,6],[7,8,9]", 3).values, IsEmpty());
}

// The address sanitizer finds reads past the text.
TEST(ShortRowsTest, NothingBehindTheTextIsLookedAt) {
  for (size_t length = 1; length < 60; ++length) {
    const std::string whole = "[123,234,345],[1,2,3],[12, 34, 56],[123,234,345],[123,234,345]";
    const std::vector<char> text(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length));
    std::vector<int32_t> values(100);
    int32_t* out = values.data();
    const char* const rest = ReadShortRows<Int32>(text.data(), text.data() + length, 3, out, 100);
    EXPECT_EQ(*rest, '[');
    EXPECT_EQ((out - values.data()) % 3, 0);
  }
}

}  // namespace short_rows_test
}  // namespace inferd::tensorjson
