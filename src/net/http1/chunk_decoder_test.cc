#include "net/http1/chunk_decoder.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::net::http1 {
namespace {

using State = ChunkDecoder::State;

// Decodes `text` in pieces of `step` bytes. The remaining bytes stay in `text`.
std::string Decode(ChunkDecoder& decoder, std::string_view& text, size_t step) {
  std::string body;
  while (!text.empty() && (decoder.state() == State::kFraming || decoder.state() == State::kData)) {
    const std::string_view piece = text.substr(0, step);
    size_t used = 0;
    if (decoder.state() == State::kFraming) {
      used = decoder.Consume(piece);
    } else {
      used = std::min<uint64_t>(piece.size(), decoder.data_left());
      body += piece.substr(0, used);
      decoder.Advance(used);
    }
    text.remove_prefix(used);
  }
  return body;
}

State StateAfter(std::string_view text, size_t trailer_bytes_max = 1000) {
  ChunkDecoder decoder(trailer_bytes_max);
  Decode(decoder, text, 7);
  return decoder.state();
}

TEST(ChunkDecoderTest, DecodesHoweverItArrives) {
  const std::string wire = "5\r\nhello\r\n00A ; name=\"v\"\r\n, world!!!\r\n0\r\nTrailer: x\r\n\r\nnext";
  for (size_t step = 1; step <= wire.size(); ++step) {
    ChunkDecoder decoder(1000);
    std::string_view text = wire;
    EXPECT_EQ(Decode(decoder, text, step), "hello, world!!!");
    EXPECT_EQ(decoder.state(), State::kDone);
    EXPECT_EQ(text, "next");
  }
}

TEST(ChunkDecoderTest, RefusesBrokenFraming) {
  for (const char* text :
       {"\r\n", "g\r\n", "-1\r\n", "0x5\r\n", " 5\r\n", "5\n", "5\rx", "1\r\nab", "1\r\na\n", "1\r\na\rx", ";x\r\n",
        "1;\x01\r\n", "0\r\nA: \x02\r\n", "0\r\n\rx", "0\r\nA: b\rx", "1000000000000000\r\n"}) {
    EXPECT_EQ(StateAfter(text), State::kError) << text;
  }
}

TEST(ChunkDecoderTest, LimitsExtensionsAndTrailers) {
  EXPECT_EQ(StateAfter("1;" + std::string(257, 'x')), State::kError);
  EXPECT_EQ(StateAfter("0\r\nA: " + std::string(100, 'x'), 50), State::kTooLong);
}

TEST(ChunkDecoderTest, AnUnfinishedBodyIsNotDone) {
  for (const char* text : {"", "5", "5\r\n", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n", "0\r\n", "0\r\n\r"}) {
    EXPECT_LT(StateAfter(text), State::kDone) << text;
  }
}

// A field line has a name, directly followed by a colon (RFC 9112, 5.1).
TEST(ChunkDecoderTest, TrailersAreFields) {
  for (const char* good : {"a: b", "a:", "X-Y!~: :b", "a:b\r\nc: d"}) {
    EXPECT_EQ(StateAfter(std::string("0\r\n") + good + "\r\n\r\n"), State::kDone) << good;
  }
  for (const char* bad : {"no colon", "nocolon", ": b", "a : b", " a: b", "a\xff: b", "a:b\r\nc"}) {
    EXPECT_EQ(StateAfter(std::string("0\r\n") + bad + "\r\n\r\n"), State::kError) << bad;
  }
}

}  // namespace
}  // namespace inferd::net::http1
