#include "base/buffer.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(BufferTest, AlignsTheByteAskedFor) {
  for (const size_t at : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    const Buffer buffer = Buffer::Allocate(2000, at);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data() + at) % kBufferAlignment, 0u) << at;
    EXPECT_EQ(buffer.size(), 2000u);
  }
}

TEST(BufferTest, ReleasesOnceWithTheLastReference) {
  int released = 0;
  std::byte memory[4];
  {
    Buffer a = Buffer::Wrap(memory, 4, [&] { ++released; });
    BufferSlice slice(a, a.data() + 1, 2);
    a = Buffer();
    EXPECT_EQ(released, 0);
    EXPECT_EQ(slice.size(), 2u);
  }
  EXPECT_EQ(released, 1);
}

TEST(BufferTest, TellsWhenAnAllocationIsFreed) {
  int freed = 0;
  {
    Buffer a = Buffer::CopyOf("abc");
    a.OnFree([&] { ++freed; });
    EXPECT_EQ(BufferSlice(a).view(), "abc");
  }
  EXPECT_EQ(freed, 1);
}

TEST(BufferTest, EmptyBufferHasNoBytes) {
  EXPECT_EQ(Buffer().size(), 0u);
  EXPECT_TRUE(BufferSlice(Buffer::Allocate(0)).empty());
}

}  // namespace
}  // namespace inferd::base
