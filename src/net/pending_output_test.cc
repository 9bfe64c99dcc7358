#include "net/pending_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace inferd::net {
namespace {

// Takes a fixed number of bytes per call.
class FakeTransport final : public Transport {
 public:
  State Handshake() override { return State::kOk; }
  Progress Read(std::span<std::byte>) override { return {.state = State::kWantRead}; }
  Progress Write(std::span<const base::BufferSlice> pieces, size_t offset) override {
    if (state != State::kOk) return {.state = state};
    std::string text;
    for (const base::BufferSlice& piece : pieces) text += piece.view();
    const std::string_view taken = std::string_view(text).substr(offset, bytes_per_call);
    written += taken;
    return {.bytes = taken.size()};
  }
  bool HasBuffered() const override { return false; }
  void FinishWriting() override {}
  bool ChoseHttp2() const override { return false; }
  bool is_tls() const override { return false; }

  State state = State::kOk;
  size_t bytes_per_call = 1;
  std::string written;
};

base::BufferSlice Owned(std::string_view text) { return base::BufferSlice(base::Buffer::CopyOf(text)); }

base::BufferSlice Borrowed(std::string_view text) {
  return base::BufferSlice(base::Buffer(), reinterpret_cast<const std::byte*>(text.data()), text.size());
}

TEST(PendingOutputTest, IsWrittenInOrderHoweverMuchIsTaken) {
  for (const size_t bytes : {1, 3, 4, 7, 100}) {
    FakeTransport transport;
    transport.bytes_per_call = bytes;
    PendingOutput output;
    for (const std::string_view text : {"head", " ", "body", " tail"}) output.pieces().push_back(Owned(text));
    size_t written = 0;
    while (!output.empty()) written += output.Write(transport).bytes;
    EXPECT_EQ(transport.written, "head body tail") << bytes;
    EXPECT_EQ(written, 14u);
  }
}

TEST(PendingOutputTest, KeepsWhatIsNotTaken) {
  FakeTransport transport;
  transport.state = Transport::State::kWantWrite;
  PendingOutput output;
  output.pieces().push_back(Owned("text"));
  EXPECT_EQ(output.Write(transport).state, Transport::State::kWantWrite);
  EXPECT_FALSE(output.empty());
  output.Clear();
  EXPECT_TRUE(output.empty());
}

TEST(PendingOutputTest, WhatIsWrittenIsGivenBackAtOnce) {
  FakeTransport transport;
  transport.bytes_per_call = 5;
  PendingOutput output;
  bool released = false;
  std::string memory = "first";
  output.pieces().push_back(base::BufferSlice(base::Buffer::Wrap(reinterpret_cast<std::byte*>(memory.data()),
                                                                 memory.size(), [&released] { released = true; })));
  output.pieces().push_back(Owned("second"));
  output.Write(transport);
  EXPECT_TRUE(released);
  EXPECT_FALSE(output.empty());
}

TEST(PendingOutputTest, OwnsWhatItIsToldTo) {
  FakeTransport transport;
  transport.bytes_per_call = 2;
  PendingOutput output;
  std::string memory = "borrowed";
  output.pieces().push_back(Borrowed(memory));
  output.pieces().push_back(Owned(" owned"));
  output.Write(transport);
  EXPECT_EQ(output.Own(), 12u) << "two are written";
  memory = "########";
  while (!output.empty()) output.Write(transport);
  EXPECT_EQ(transport.written, "borrowed owned");
}

}  // namespace
}  // namespace inferd::net
