#include "net/http1/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace inferd::net::http1 {
namespace {

// Writes as much of `text` as there is space for. Returns its size.
size_t Put(Input& input, std::string_view text, bool may_grow = true) {
  const std::span<std::byte> space = input.Space(may_grow);
  const size_t bytes = std::min(space.size(), text.size());
  std::memcpy(space.data(), text.data(), bytes);
  input.Commit(bytes);
  return bytes;
}

TEST(Http1InputTest, KeepsWhatIsNotSkipped) {
  Input input;
  EXPECT_TRUE(input.empty());
  Put(input, "first second");
  input.Skip(6);
  EXPECT_EQ(input.text(), "second");
  Put(input, " third");
  EXPECT_EQ(input.text(), "second third");
  input.Skip(12);
  EXPECT_TRUE(input.empty());
}

TEST(Http1InputTest, GrowsOnlyWhereItMay) {
  Input input;
  EXPECT_TRUE(input.full()) << "it has no memory before it is needed";
  const size_t capacity = input.Space(true).size();
  const std::string text(capacity, 'x');
  EXPECT_EQ(Put(input, text), capacity);
  EXPECT_TRUE(input.full());
  EXPECT_TRUE(input.Space(false).empty());
  EXPECT_EQ(Put(input, "more"), 4u);
  EXPECT_EQ(input.text(), text + "more");
}

TEST(Http1InputTest, WhatIsReadMakesRoom) {
  Input input;
  const size_t capacity = input.Space(true).size();
  Put(input, std::string(capacity - 3, 'x') + "end");
  input.Skip(capacity - 3);
  EXPECT_EQ(input.Space(false).size(), capacity - 3);
  EXPECT_EQ(input.text(), "end");
}

TEST(Http1InputTest, ReleasedMemoryIsMadeAnew) {
  Input input;
  Put(input, "text");
  input.Clear();
  input.Release();
  EXPECT_TRUE(input.Space(false).empty());
  Put(input, "again");
  EXPECT_EQ(input.text(), "again");
}

}  // namespace
}  // namespace inferd::net::http1
