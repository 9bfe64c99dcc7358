#include "data/wire/append.h"

#include <gtest/gtest.h>

#include "data/wire/reader.h"

namespace inferd::wire {
namespace {

TEST(AppendTest, WhatIsWrittenIsRead) {
  std::string message;
  AppendNumber(1, -1, &message);
  AppendNumber(300, 127, &message);
  AppendBytes(2, std::string(200, 'b'), &message);
  AppendNumber(3, 128, &message);
  EXPECT_EQ(message.size(), 11u + 3u + 203u + 3u);
  Reader in(message);
  EXPECT_EQ(in.Next(), Tag(1, Type::kVarint));
  EXPECT_EQ(static_cast<int64_t>(in.Varint()), -1);
  EXPECT_EQ(in.Next(), Tag(300, Type::kVarint));
  EXPECT_EQ(in.Varint(), 127u);
  EXPECT_EQ(in.Next(), Tag(2, Type::kBytes));
  EXPECT_EQ(in.Bytes(), std::string(200, 'b'));
  EXPECT_EQ(in.Next(), Tag(3, Type::kVarint));
  EXPECT_EQ(in.Varint(), 128u);
  EXPECT_EQ(in.Next(), 0u);
  EXPECT_TRUE(in.ok());
}

}  // namespace
}  // namespace inferd::wire
