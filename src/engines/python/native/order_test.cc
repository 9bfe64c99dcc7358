#include "engines/python/native/order.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engines/python/message/marshal_writer.h"

namespace inferd::python {
namespace {

struct Piece {
  size_t offset;
  size_t size;
};

// An order for one request, with one two-dimensional input in these pieces.
struct Written {
  uint64_t number = 7;
  std::vector<size_t> wanted = {0};
  std::function<void(MarshalWriter&)> request = [](MarshalWriter& message) { message.Int(1); };
  std::vector<Piece> pieces = {{.offset = 64, .size = 24}};
  std::vector<int64_t> shape = {2, 3};
  size_t inputs = 1;

  std::string bytes() const {
    MarshalWriter message;
    message.Tuple(6);
    message.Text("execute");
    message.Uint(number);
    message.Uint(4096);
    message.Tuple(wanted.size());
    for (const size_t index : wanted) message.Uint(index);
    message.Tuple(1);
    request(message);
    message.Tuple(inputs);
    for (size_t i = 0; i < inputs; ++i) WriteInput(i, message);
    return message.bytes();
  }

  void WriteInput(size_t index, MarshalWriter& message) const {
    message.Tuple(4);
    message.Uint(index);
    message.Int(11);
    message.Tuple(shape.size());
    for (const int64_t size : shape) message.Int(size);
    message.Tuple(pieces.size());
    for (const Piece& piece : pieces) {
      message.Tuple(2);
      message.Uint(piece.offset);
      message.Uint(piece.size);
    }
  }
};

TEST(OrderTest, HasWhatTheMessageSays) {
  Order order;
  ASSERT_TRUE(ReadOrder(Written{.wanted = {2, 0}}.bytes(), order));
  EXPECT_EQ(order.number, 7);
  EXPECT_EQ(order.bytes, 4096);
  EXPECT_EQ(order.wanted_count, 2);
  EXPECT_EQ(order.wanted[0], 2);
  EXPECT_EQ(order.wanted[1], 0);
  ASSERT_EQ(order.input_count, 1);
  const Order::Input& input = order.inputs[0];
  EXPECT_EQ(input.index, 0);
  EXPECT_EQ(input.datatype, 11);
  EXPECT_EQ(input.rank, 2);
  EXPECT_EQ(input.shape[1], 3);
  EXPECT_EQ(input.offset, 64);
  EXPECT_EQ(input.size, 24);
}

TEST(OrderTest, NumbersMayBeLarge) {
  Order order;
  const size_t large = size_t{1} << 40;
  ASSERT_TRUE(ReadOrder(Written{.number = large + 3, .pieces = {{.offset = large, .size = 24}}}.bytes(), order));
  EXPECT_EQ(order.number, large + 3);
  EXPECT_EQ(order.inputs[0].offset, large);
}

TEST(OrderTest, WhatIsSaidOfRequestsIsPassedOver) {
  const auto request = [](MarshalWriter& message) {
    message.Tuple(7);
    message.Text("an id");
    message.Int(1);
    message.Uint(std::numeric_limits<uint64_t>::max());
    message.Int(std::numeric_limits<int64_t>::min());
    message.Float(0.5);
    message.None();
    message.Tuple(1);
    message.Bool(true);
  };
  Order order;
  ASSERT_TRUE(ReadOrder(Written{.request = request}.bytes(), order));
  EXPECT_EQ(order.input_count, 1);
}

TEST(OrderTest, WhatItHasNoRoomForIsNone) {
  Order order;
  const Piece piece{.offset = 0, .size = 4};
  EXPECT_FALSE(ReadOrder(Written{.pieces = {piece, piece}}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.pieces = {}}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.shape = std::vector<int64_t>(Order::kRankMax + 1, 1)}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.shape = {-1}}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.inputs = Order::kTensorsMax + 1}.bytes(), order));
  EXPECT_TRUE(ReadOrder(Written{.inputs = Order::kTensorsMax}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.wanted = std::vector<size_t>(Order::kTensorsMax + 1, 0)}.bytes(), order));
  EXPECT_FALSE(ReadOrder(Written{.number = std::numeric_limits<uint64_t>::max()}.bytes(), order));
}

TEST(OrderTest, OtherMessagesAreNone) {
  MarshalWriter message;
  message.Tuple(3);
  message.Text("start");
  message.Text("m_0");
  message.Int(0);
  Order order;
  EXPECT_FALSE(ReadOrder(message.bytes(), order));
  EXPECT_FALSE(ReadOrder("", order));
  EXPECT_FALSE(ReadOrder("N", order));
}

TEST(OrderTest, OneThatIsCutShortIsNone) {
  const std::string whole = Written().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    Order order;
    // An allocation of its own, so that a sanitizer detects reads past the end.
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(ReadOrder({part.data(), part.size()}, order)) << size;
  }
}

TEST(OrderTest, AnyByteMayBeAnother) {
  const std::string whole = Written().bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::vector<char> changed(whole.begin(), whole.end());
      changed[at] = static_cast<char>(byte);
      Order order;
      if (!ReadOrder({changed.data(), changed.size()}, order)) continue;
      EXPECT_LE(order.input_count, Order::kTensorsMax);
      EXPECT_LE(order.inputs[0].rank, Order::kRankMax);
    }
  }
}

}  // namespace
}  // namespace inferd::python
