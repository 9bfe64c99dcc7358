#include "net/grpc/responder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/compression/compression.h"
#include "net/grpc/call_fixture.h"

namespace inferd::net::grpc {
namespace {

using ::testing::ElementsAre;

// Returns text that compression makes smaller.
std::string LongText(char c, size_t bytes = 2000) { return std::string(bytes, c); }

// Returns a response's message, decompressed if its flag says so.
std::string Decoded(const std::string& message) {
  if (message[0] == '0') return message.substr(2);
  const base::BufferSlice coded(base::Buffer::CopyOf(message.substr(2)));
  return std::string(Decompress(ContentCoding::kGzip, coded, {}).value().view());
}

class ResponderTest : public CallFixture {
 protected:
  void Compressing(size_t offload_bytes) {
    server_.options.response_compression_level = 1;
    server_.options.compress_bytes_min = 100;
    server_.options.offload_compressed_bytes = offload_bytes;
    Serve();
  }
  const FakeCall::Fields takes_gzip_ = {{"grpc-accept-encoding", "identity,deflate,gzip"}};
};

TEST_F(ResponderTest, ErrorsBeforeAMessageAreTrailersOnly) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  responder_.AddTrailingMetadata("x-t", "1");
  responder_.Finish(base::NotFound("\xc3\xa9%\n"), "details");
  EXPECT_EQ(call.sends, 1u);
  EXPECT_TRUE(call.trailers.empty());
  EXPECT_TRUE(call.body.empty());
  EXPECT_EQ(call.status(), "5");
  EXPECT_EQ(call.message(), "%C3%A9%25%0A");
  EXPECT_EQ(call.Header("grpc-status-details-bin"), "ZGV0YWlscw");
  EXPECT_EQ(call.Header("x-t"), "1");
}

TEST_F(ResponderTest, InitialMetadataStaysInitial) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  responder_.AddInitialMetadata("x-i", "1");
  responder_.Finish(base::NotFound("no"));
  EXPECT_EQ(call.Header("x-i"), "1");
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "5"}, {"grpc-message", "no"}}));
}

TEST_F(ResponderTest, ADroppedCallIsInternal) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  responder_ = Responder();
  EXPECT_EQ(call.status(), "13");
  FakeCall other(server_, "/t.T/Unary");
  other.Unary("x");
  server_.loop.in_loop = false;
  responder_ = Responder();
  EXPECT_EQ(other.status(), "");
  server_.loop.in_loop = true;
  server_.loop.RunPosted();
  EXPECT_EQ(other.status(), "13");
}

TEST_F(ResponderTest, AGoneClientCancelsTheCall) {
  Serve();
  FakeCall unary(server_, "/t.T/Unary");
  unary.Unary("x");
  responder_.OnCancelled([&] { log_ += "cancelled;"; });
  unary.Vanish();
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "call x;cancelled;");
  EXPECT_FALSE(responder_.Write(MessageOf("late")));
  responder_.Answer(MessageOf("late"));
  EXPECT_FALSE(unary.answered());

  log_.clear();
  FakeCall stream(server_, "/t.T/Stream");
  stream.Message("a");
  responder_.OnCancelled([&] { log_ += "cancelled;"; });
  stream.Vanish();
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;cancelled;gone;");
}

TEST_F(ResponderTest, ACancellationIsHeardOfLate) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  call.Vanish();
  responder_.OnCancelled([&] { log_ += "cancelled;"; });
  EXPECT_EQ(log_, "call x;");
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "call x;cancelled;");
}

TEST_F(ResponderTest, CompressesWhatIsWorthIt) {
  Compressing(1 << 20);
  echo_ = true;
  FakeCall call(server_, "/t.T/Unary", takes_gzip_);
  call.Unary(LongText('x'));
  EXPECT_EQ(call.sends, 1u);
  EXPECT_EQ(call.Header("grpc-encoding"), "gzip");
  ASSERT_EQ(call.Messages().size(), 1u);
  EXPECT_EQ(call.Messages()[0][0], '1');
  EXPECT_LT(call.body.size(), 100u);
  EXPECT_EQ(Decoded(call.Messages()[0]), LongText('x'));
  FakeCall small(server_, "/t.T/Unary", takes_gzip_);
  small.Unary("short");
  EXPECT_THAT(small.Messages(), ElementsAre("0:short"));
  FakeCall dense(server_, "/t.T/Unary", takes_gzip_);
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i * 167);
  dense.Unary(all);
  EXPECT_THAT(dense.Messages(), ElementsAre("0:" + all));
  FakeCall unable(server_, "/t.T/Unary");
  unable.Unary(LongText('x'));
  EXPECT_EQ(unable.Header("grpc-encoding"), "");
  EXPECT_THAT(unable.Messages(), ElementsAre("0:" + LongText('x')));
}

TEST_F(ResponderTest, LargeAnswersAreCompressedElsewhere) {
  Compressing(1000);
  FakeCall call(server_, "/t.T/Unary", takes_gzip_);
  call.Unary("x");
  responder_.AddTrailingMetadata("x-t", "1");
  responder_.Answer(MessageOf(LongText('a')));
  EXPECT_FALSE(call.answered());
  server_.pool.Run();
  server_.loop.RunPosted();
  EXPECT_EQ(call.sends, 1u);
  EXPECT_EQ(Decoded(call.Messages().at(0)), LongText('a'));
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "0"}, {"x-t", "1"}}));
}

TEST_F(ResponderTest, WhatFollowsACompressedMessageWaitsForIt) {
  Compressing(1000);
  FakeCall call(server_, "/t.T/Stream", takes_gzip_);
  call.Bytes("");
  EXPECT_TRUE(responder_.Write(MessageOf("first")));
  EXPECT_FALSE(responder_.Write(MessageOf(LongText('a'))));
  EXPECT_FALSE(responder_.Write(MessageOf("second")));
  EXPECT_FALSE(responder_.Write(MessageOf(LongText('b'))));
  bool writable = false;
  responder_.OnWritable([&] { writable = true; });
  server_.pool.Run();
  server_.loop.RunPosted();
  EXPECT_EQ(call.Messages().size(), 3u);
  EXPECT_FALSE(writable);
  server_.pool.Run();
  server_.loop.RunPosted();
  EXPECT_TRUE(writable);
  EXPECT_FALSE(responder_.Write(MessageOf(LongText('c'))));
  responder_.Write(MessageOf("third"));
  responder_.Finish(base::NotFound("enough"), "d");
  EXPECT_FALSE(call.answered());
  server_.pool.Run();
  server_.loop.RunPosted();
  std::vector<std::string> texts;
  for (const std::string& message : call.Messages()) texts.push_back(Decoded(message));
  EXPECT_THAT(texts, ElementsAre("first", LongText('a'), "second", LongText('b'), LongText('c'), "third"));
  EXPECT_EQ(call.status(), "5");
  EXPECT_EQ(call.Trailer("grpc-status-details-bin"), "ZA");
}

TEST_F(ResponderTest, ACallMayEndWhileItsAnswerIsCompressed) {
  Compressing(1000);
  for (const bool deadline : {false, true}) {
    FakeCall call(server_, "/t.T/Unary", {{"grpc-accept-encoding", "gzip"}, {"grpc-timeout", "1S"}});
    call.Unary("x");
    responder_.Answer(MessageOf(LongText('a')));
    if (deadline) {
      server_.loop.Advance(std::chrono::seconds(1));
    } else {
      call.Vanish();
    }
    server_.pool.Run();
    server_.loop.RunPosted();
    EXPECT_EQ(call.status(), deadline ? "4" : "");
    EXPECT_EQ(call.sends, deadline ? 1u : 0u);
  }
}

TEST_F(ResponderTest, AnAnswerMayFollowWrites) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  responder_.Write(MessageOf("a"));
  responder_.Answer(MessageOf("b"));
  EXPECT_THAT(call.Messages(), ElementsAre("0:a", "0:b"));
  EXPECT_EQ(call.status(), "0");
}

TEST_F(ResponderTest, AStreamWithoutMessagesHasAHeadAndTrailers) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Bytes("");
  responder_.Finish(base::OkStatus());
  EXPECT_EQ(call.Header("grpc-status"), "");
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "0"}}));
}

TEST_F(ResponderTest, AnEmptyResponderDoesNothing) {
  Responder none;
  EXPECT_FALSE(none);
  none.AddInitialMetadata("a", "b");
  none.AddTrailingMetadata("a", "b");
  EXPECT_FALSE(none.Write({}));
  none.OnWritable([] {});
  none.OnCancelled([] {});
  none.PauseReading();
  none.ResumeReading();
  none.Answer({});
  none.Finish(base::OkStatus());
}

}  // namespace
}  // namespace inferd::net::grpc
