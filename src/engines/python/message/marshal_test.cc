#include "engines/python/message/marshal.h"
#include "engines/python/message/marshal_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace inferd::python {
namespace {

std::string Message(std::string_view body) { return std::string(body); }

TEST(MarshalTest, WhatIsWrittenIsRead) {
  MarshalWriter writer;
  const std::vector<int64_t> numbers = {0,
                                        1,
                                        -1,
                                        1 << 15,
                                        std::numeric_limits<int32_t>::max(),
                                        std::numeric_limits<int32_t>::min(),
                                        int64_t{1} << 31,
                                        -(int64_t{1} << 40),
                                        std::numeric_limits<int64_t>::max(),
                                        -std::numeric_limits<int64_t>::max(),
                                        std::numeric_limits<int64_t>::min()};
  constexpr uint64_t kLarge = std::numeric_limits<uint64_t>::max();
  writer.Tuple(numbers.size() + 6);
  for (const int64_t number : numbers) writer.Int(number);
  writer.None();
  writer.Bool(true);
  writer.Bool(false);
  writer.Float(0.1);
  writer.Uint(kLarge);
  writer.Text("größe");
  const auto read = ReadMarshal(writer.bytes());
  ASSERT_TRUE(read.has_value()) << read.error().message();
  const Value::Items& items = *read->items();
  ASSERT_EQ(items.size(), numbers.size() + 6);
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(*items[i].number(), numbers[i]);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(items[numbers.size()].of));
  EXPECT_TRUE(*items[numbers.size() + 1].flag());
  EXPECT_FALSE(*items[numbers.size() + 2].flag());
  EXPECT_EQ(std::get<double>(items[numbers.size() + 3].of), 0.1);
  EXPECT_EQ(std::get<uint64_t>(items[numbers.size() + 4].of), kLarge);
  EXPECT_EQ(*items.back().text(), "größe");
}

// The output of CPython 3.11: marshal.dumps(value, 2).
TEST(MarshalTest, WhatPythonWrites) {
  const auto read =
      ReadMarshal(std::string_view("(\x04\0\0\0u\x01\0\0\0ai\xff\xff\xff\xffl\xfd\xff\xff\xff\0\0\0\0\1\0N", 28));
  ASSERT_TRUE(read.has_value()) << read.error().message();
  const Value::Items& items = *read->items();
  EXPECT_EQ(*items[0].text(), "a");
  EXPECT_EQ(*items[1].number(), -1);
  EXPECT_EQ(*items[2].number(), -(int64_t{1} << 30));
}

TEST(MarshalTest, WhatIsNoMessage) {
  using std::string_view_literals::operator""sv;
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string("(\x01\0\0\0", 5);
  for (const std::string_view bytes :
       {""sv, "i\1"sv, "NN"sv, "c"sv, "(\xff\xff\xff\x7f"sv, "(\xff\xff\xff\xff"sv, "u\x05\0\0\0abc"sv, "g\0\0"sv,
        "l\x06\0\0\0\1\0\1\0\1\0\1\0\1\0\1\0"sv, "l\x01\0\0\0\0\x80"sv,
        "l\x05\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\xff\x7f"sv, "l\0\0\0\x80"sv, std::string_view(deep)}) {
    EXPECT_EQ(ReadMarshal(Message(bytes)).error().code(), base::StatusCode::kInvalidArgument) << bytes.size();
  }
}

// A short message whose values would take a hundred times its size.
TEST(MarshalTest, WhatHasTooManyValues) {
  constexpr int kCount = (1 << 18) + 1;
  std::string bytes = "(";
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(kCount >> (8 * i));
  EXPECT_FALSE(ReadMarshal(bytes + std::string(kCount, 'N')).has_value());
  bytes[1] = 0;  // 2^18
  EXPECT_TRUE(ReadMarshal(bytes + std::string(kCount - 1, 'N')).has_value());
}

// No prefix of a message is a message.
TEST(MarshalTest, WhatIsCutShort) {
  MarshalWriter writer;
  writer.Tuple(3);
  writer.Text("abc");
  writer.Int(int64_t{1} << 40);
  writer.Tuple(1);
  writer.Float(1);
  for (size_t size = 0; size < writer.bytes().size(); ++size) {
    EXPECT_FALSE(ReadMarshal(std::string_view(writer.bytes()).substr(0, size)).has_value()) << size;
  }
}

}  // namespace
}  // namespace inferd::python
