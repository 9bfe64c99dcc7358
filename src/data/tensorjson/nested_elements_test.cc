#include "data/tensorjson/nested_elements.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace inferd::tensorjson {
namespace {

TEST(GrowingBytesTest, GrowsNoFurtherThanTheRestNeeds) {
  base::Buffer buffer;
  size_t used = 0;
  {
    GrowingBytes bytes(buffer, used);
    for (int i = 0; i < 1000; ++i) {
      char* const at = bytes.Reserve(8, static_cast<size_t>(1000 - i) * 8);
      std::memset(at, i, 8);
      bytes.Commit(at + 8);
    }
    EXPECT_EQ(bytes.size(), 8000u);
  }
  EXPECT_EQ(used, 8000u);
  EXPECT_LE(buffer.size(), 8000u);
  EXPECT_EQ(static_cast<uint8_t>(buffer.data()[8 * 999]), static_cast<uint8_t>(999 % 256));
}

TEST(GrowingBytesTest, GoesOnWhereItWas) {
  base::Buffer buffer;
  size_t used = 0;
  for (const char* text : {"abc", "defg"}) {
    GrowingBytes bytes(buffer, used);
    const size_t size = std::strlen(text);
    char* const at = bytes.Reserve(size, size);
    std::memcpy(at, text, size);
    bytes.Commit(at + size);
  }
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(buffer.data()), used), "abcdefg");
}

// Otherwise each value would be copied as often as others follow it.
TEST(GrowingBytesTest, IsSeldomCopiedForManyTexts) {
  base::Buffer buffer;
  size_t used = 0;
  int copies = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::byte* const place = buffer.data();
    GrowingBytes bytes(buffer, used);
    bytes.Commit(bytes.Reserve(8, 8) + 8);
    copies += buffer.data() == place ? 0 : 1;
  }
  EXPECT_EQ(used, 800'000U);
  EXPECT_LT(copies, 50);
  EXPECT_LE(buffer.size(), 1'200'000U);
}

TEST(TextElementsTest, WhatIsRefusedLeavesNothing) {
  base::Buffer buffer;
  size_t used = 0;
  for (const std::string text : {"1,", "\"open", "{\"b64\": \"!\"},", "{\"x\": \"YQ==\"},", "null,"}) {
    GrowingBytes bytes(buffer, used);
    EXPECT_EQ(TextElements().Read(text.data(), text.data() + text.size(), bytes), nullptr) << text;
    EXPECT_EQ(bytes.size(), 0u);
  }
}

}  // namespace
}  // namespace inferd::tensorjson
