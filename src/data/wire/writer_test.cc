#include "data/wire/writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace inferd::wire {
namespace {

using namespace std::string_literals;

std::string Joined(const base::BufferSlices& message) {
  std::string bytes;
  for (const base::BufferSlice& piece : message) bytes += piece.view();
  return bytes;
}

TEST(WriterTest, WritesFromTheLastFieldToTheFirst) {
  Writer out(64);
  out.Varint(3, 300);
  const size_t end = out.size();
  out.Fixed64(5, 1);
  out.String(4, "text");
  out.Message(2, end);
  std::memcpy(out.Bytes(1, 2), "\xff\xfe", 2);
  EXPECT_EQ(out.size(), 4u + 2 + 15 + 3);
  const base::BufferSlices message = out.Take();
  EXPECT_EQ(message.size(), 1u);
  EXPECT_EQ(Joined(message),
            "\x0a\x02\xff\xfe"
            "\x12\x0f\x22\x04text\x29\x01\x00\x00\x00\x00\x00\x00\x00"
            "\x18\xac\x02"s);
}

TEST(WriterTest, SlicesArePieces) {
  const base::BufferSlice big(base::Buffer::CopyOf(std::string(200, 'b')));
  Writer out(16);
  out.Slice(2, base::BufferSlice());
  out.Slice(1, big);
  out.Message(7, 0);
  EXPECT_EQ(out.size(), 3u + 3 + 200 + 2);
  const base::BufferSlices message = out.Take();
  ASSERT_EQ(message.size(), 3u);
  EXPECT_EQ(message[0].view(), "\x3a\xcd\x01\x0a\xc8\x01");
  EXPECT_EQ(message[1].data(), big.data());
  EXPECT_EQ(message[2].view(), "\x12\x00"s);
}

TEST(WriterTest, MoreThanTheHintIsWrittenTheSame) {
  for (const size_t hint : {0, 1, 7, 64, 4096}) {
    Writer out(hint);
    for (int i = 9; i >= 0; --i) out.String(1, std::string(100, static_cast<char>('0' + i)));
    std::string expected;
    for (int i = 0; i < 10; ++i) expected += "\x0a\x64" + std::string(100, static_cast<char>('0' + i));
    EXPECT_EQ(out.size(), expected.size());
    EXPECT_EQ(Joined(out.Take()), expected) << hint;
  }
}

TEST(WriterTest, RawBytesStandAsTheyAre) {
  Writer out(4);
  out.Varint(2, 1);
  std::memcpy(out.Raw(5), "\x0a\x03raw", 5);
  EXPECT_EQ(Joined(out.Take()), "\x0a\x03raw\x10\x01");
}

TEST(WriterTest, StringsBecomeUtf8) {
  Writer out(8);
  out.String(1, "a\xff\xe2\x82z");
  EXPECT_EQ(Joined(out.Take()),
            "\x0a\x0b"
            "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace inferd::wire
