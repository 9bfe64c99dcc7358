#include "net/body/slice_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace inferd::net {
namespace slice_writer_test {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(SliceWriterTest, JoinsWhatFollows) {
  SliceWriter writer;
  std::vector<base::BufferSlice> out;
  writer.Copy(Bytes("one"), out);
  writer.Copy(Bytes(""), out);
  writer.Copy(Bytes("two"), out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].view(), "onetwo");
}

TEST(SliceWriterTest, ServesSeveralOutputsInTurns) {
  SliceWriter writer;
  std::vector<base::BufferSlice> first;
  std::vector<base::BufferSlice> second;
  writer.Copy(Bytes("a"), first);
  writer.Copy(Bytes("b"), second);
  writer.Copy(Bytes("c"), first);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].view(), "a");
  EXPECT_EQ(first[1].view(), "c");
  EXPECT_EQ(second[0].view(), "b");
}

TEST(SliceWriterTest, TakesANewBufferWhenOneIsFull) {
  SliceWriter writer;
  std::vector<base::BufferSlice> out;
  const std::string large(5000, 'x');
  writer.Copy(Bytes(large), out);
  writer.Copy(Bytes(large), out);
  writer.Copy(Bytes(std::string(100'000, 'y')), out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].view(), large);
  EXPECT_EQ(out[1].view(), large);
  EXPECT_EQ(out[2].size(), 100'000u);
}

}  // namespace slice_writer_test
}  // namespace inferd::net
