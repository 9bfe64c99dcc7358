#include "serving/worker/control/message.h"

#include <gtest/gtest.h>

namespace inferd::worker {
namespace {

TEST(MessageTest, IsReadAsItWasWritten) {
  const core::Parameters parameters = {
      {"a", true}, {"b", int64_t{-1}}, {"c", uint64_t{1} << 63}, {"d", 0.5}, {"e", std::string("x\0y", 3)}};
  MessageWriter writer;
  writer.Add(uint32_t{7});
  writer.AddText("text");
  writer.AddShape({2, -1});
  writer.AddParameters(parameters);
  MessageReader reader(writer.text());
  EXPECT_EQ(reader.Take<uint32_t>(), 7u);
  EXPECT_EQ(reader.TakeText(), "text");
  EXPECT_EQ(reader.TakeShape(-1), (tensor::Shape{2, -1}));
  EXPECT_EQ(reader.TakeParameters(), parameters);
  EXPECT_TRUE(reader.Finished());
}

TEST(MessageTest, EveryPrefixIsRefused) {
  MessageWriter writer;
  writer.AddText("text");
  writer.AddShape({2, 3});
  writer.AddParameters({{"a", std::string("b")}});
  for (size_t size = 0; size < writer.text().size(); ++size) {
    MessageReader reader(writer.text().substr(0, size));
    reader.TakeText();
    reader.TakeShape(0);
    reader.TakeParameters();
    EXPECT_FALSE(reader.Finished()) << size;
  }
}

TEST(MessageTest, MoreParametersThanThereMayBeAreRefused) {
  MessageWriter writer;
  writer.AddParameters({{"a", true}, {"b", true}});
  EXPECT_EQ(MessageReader(writer.text()).TakeParameters(2).size(), 2u);
  MessageReader reader(writer.text());
  EXPECT_TRUE(reader.TakeParameters(1).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(MessageTest, GarbageNumbersAreRefused) {
  MessageWriter huge;
  huge.Add(~uint64_t{0});
  EXPECT_EQ(MessageReader(huge.text()).TakeText(), "");
  EXPECT_EQ(MessageReader(huge.text()).TakeCount(1), 0u);
  MessageReader count(huge.text());
  EXPECT_TRUE(count.TakeParameters().empty());
  EXPECT_FALSE(count.ok());
  MessageWriter negative;
  negative.AddShape({-1});
  MessageReader shape(negative.text());
  shape.TakeShape(0);
  EXPECT_FALSE(shape.ok());
  MessageWriter deep;
  deep.Add(uint64_t{tensor::kRankMax + 1});
  for (size_t i = 0; i <= tensor::kRankMax; ++i) deep.Add(int64_t{1});
  MessageReader rank(deep.text());
  rank.TakeShape(0);
  EXPECT_FALSE(rank.ok());
}

TEST(MessageTest, WhatIsLeftOverIsRefused) {
  MessageWriter writer;
  writer.Add(uint64_t{1});
  MessageReader reader(writer.text());
  reader.Take<uint32_t>();
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.Finished());
}

}  // namespace
}  // namespace inferd::worker
