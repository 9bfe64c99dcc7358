#include "net/grpc/call_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/compression/compression.h"
#include "net/grpc/call_fixture.h"

namespace inferd::net::grpc {
namespace {

using ::testing::ElementsAre;

std::string Coded(ContentCoding coding, std::string_view text) {
  const base::BufferSlice piece(base::Buffer::CopyOf(text));
  return std::string(Compress(coding, {&piece, 1}).value().view());
}

class CallSinkTest : public CallFixture {};

TEST_F(CallSinkTest, AnswersAUnaryCallInOneSend) {
  echo_ = true;
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"x-a", "1"}});
  call.Unary("hello");
  EXPECT_EQ(call.sends, 1u);
  EXPECT_EQ(call.http_status, 200);
  EXPECT_EQ(call.Header("content-type"), "application/grpc");
  EXPECT_THAT(call.Messages(), ElementsAre("0:hello"));
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "0"}}));
  EXPECT_EQ(context_.method(), "/t.T/Unary");
  EXPECT_EQ(context_.head.Find("x-a"), "1");
  EXPECT_FALSE(responder_);
}

TEST_F(CallSinkTest, TakesABodyInAnyPieces) {
  echo_ = true;
  Serve();
  const std::string large(70'000, 'x');
  for (const size_t step : {size_t{1}, size_t{4}, size_t{16'384}}) {
    FakeCall call(server_, "/t.T/Unary");
    call.Bytes(Framed(large).substr(0, 3), false, step);
    EXPECT_TRUE(call.AwaitsMore());
    call.Bytes(Framed(large).substr(3), false, step);
    EXPECT_FALSE(call.answered());
    call.End();
    EXPECT_THAT(call.Messages(), ElementsAre("0:" + large));
  }
  log_.clear();
  server_.loop.RunPosted();
  EXPECT_EQ(server_.budget->used(), 0u);
}

TEST_F(CallSinkTest, AUnaryCallHasOneMessage) {
  Serve();
  FakeCall none(server_, "/t.T/Unary");
  none.End();
  EXPECT_EQ(none.status(), "12");
  FakeCall two(server_, "/t.T/Unary");
  two.Bytes(Framed("a") + Framed("b"));
  EXPECT_EQ(two.status(), "12");
  FakeCall part(server_, "/t.T/Unary");
  part.Bytes(Framed("abc").substr(0, 7), true);
  EXPECT_EQ(part.status(), "13");
  EXPECT_EQ(part.message(), "the request ended inside a message");
  EXPECT_EQ(log_, "");
}

TEST_F(CallSinkTest, OversizedMessagesAreRefusedAtTheirPrefix) {
  server_.options.message_bytes_max = 1000;
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Bytes(Framed(std::string(1001, 'x')).substr(0, 5));
  EXPECT_EQ(call.status(), "8");
  EXPECT_EQ(call.message(), "Received message larger than max (1001 vs. 1000)");
  FakeCall stream(server_, "/t.T/Stream");
  stream.Message("a").Message(std::string(101, 'x'));
  EXPECT_EQ(stream.message(), "Received message larger than max (101 vs. 100)");
}

TEST_F(CallSinkTest, StreamsMessagesInOrder) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Bytes("");
  EXPECT_EQ(log_, "");
  EXPECT_FALSE(call.AwaitsMore());
  call.Bytes(Framed("a") + Framed("") + Framed("b").substr(0, 3));
  EXPECT_EQ(log_, "a;;");
  EXPECT_TRUE(call.AwaitsMore());
  call.Bytes(Framed("b").substr(3));
  responder_.AddInitialMetadata("x-initial", "i");
  responder_.AddTrailingMetadata("x-trailing-bin", "t");
  EXPECT_TRUE(responder_.Write(MessageOf("1")));
  EXPECT_TRUE(call.started);
  EXPECT_EQ(call.Header("x-initial"), "i");
  call.End();
  EXPECT_EQ(log_, "a;;b;half;");
  call.window_open = false;
  EXPECT_FALSE(responder_.Write(MessageOf("2")));
  bool writable = false;
  responder_.OnWritable([&] { writable = true; });
  call.writable();
  EXPECT_TRUE(writable);
  responder_.Finish(base::Status());
  EXPECT_THAT(call.Messages(), ElementsAre("0:1", "0:2"));
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "0"}, {"x-trailing-bin", "dA"}}));
  EXPECT_EQ(log_, "a;;b;half;");
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;;b;half;gone;");
}

TEST_F(CallSinkTest, AReaderMayFinishTheCallInsideItsOwnCall) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Bytes(Framed("finish") + Framed("late"));
  EXPECT_EQ(log_, "finish;");
  EXPECT_EQ(call.status(), "0");
  EXPECT_EQ(call.sends, 1u);
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "finish;gone;");
}

TEST_F(CallSinkTest, APausedReaderGetsNothing) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Bytes(Framed("a") + Framed("pause") + Framed("b"));
  EXPECT_TRUE(call.paused);
  EXPECT_EQ(log_, "a;pause;");
  call.Message("c").Bytes(Framed("d").substr(0, 4)).Bytes(Framed("d").substr(4) + Framed("pause") + Framed("e")).End();
  EXPECT_EQ(log_, "a;pause;");
  responder_.ResumeReading();
  EXPECT_FALSE(call.paused);
  EXPECT_EQ(log_, "a;pause;");
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;pause;b;c;d;pause;");
  EXPECT_TRUE(call.paused);
  responder_.ResumeReading();
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;pause;b;c;d;pause;e;half;");
}

TEST_F(CallSinkTest, WhatWaitsForAReaderIsCharged) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Message("pause");
  for (int i = 0; i < 1000; ++i) call.Message("x");
  EXPECT_GE(server_.budget->used(), 6000u);
  call.Vanish();
  EXPECT_EQ(server_.budget->used(), 0u);
}

TEST_F(CallSinkTest, ADeadlineEndsTheCall) {
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"grpc-timeout", "100m"}});
  call.Unary("x");
  EXPECT_EQ(context_.deadline_ns, server_.clock.NowNs() + 100'000'000);
  responder_.OnCancelled([&] { log_ += "cancelled;"; });
  server_.loop.Advance(std::chrono::milliseconds(99));
  EXPECT_FALSE(call.answered());
  server_.loop.Advance(std::chrono::milliseconds(1));
  EXPECT_EQ(call.status(), "4");
  EXPECT_EQ(call.message(), "Deadline Exceeded");
  EXPECT_EQ(log_, "call x;cancelled;");
  responder_.Answer(MessageOf("late"));
  EXPECT_EQ(call.sends, 1u);
}

TEST_F(CallSinkTest, ADeadlineEndsAStreamInTheMiddle) {
  Serve();
  FakeCall call(server_, "/t.T/Stream", {{"grpc-timeout", "1S"}});
  call.Message("a");
  responder_.Write(MessageOf("1"));
  server_.loop.Advance(std::chrono::milliseconds(1000));
  EXPECT_THAT(call.Messages(), ElementsAre("0:1"));
  EXPECT_EQ(call.status(), "4");
  EXPECT_EQ(log_, "a;gone;");
  EXPECT_FALSE(responder_.Write(MessageOf("2")));
}

TEST_F(CallSinkTest, ADeadlineInThePastEndsTheCallAtOnce) {
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"grpc-timeout", "0n"}});
  call.Bytes("");
  EXPECT_EQ(call.status(), "4");
  EXPECT_EQ(log_, "");
}

TEST_F(CallSinkTest, AnAnsweredCallLeavesNoTimer) {
  echo_ = true;
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"grpc-timeout", "1S"}});
  call.Unary("x");
  EXPECT_EQ(call.status(), "0");
  EXPECT_EQ(server_.loop.timers(), 0u);
}

TEST_F(CallSinkTest, CompressedMessagesAreInflated) {
  echo_ = true;
  Serve();
  const std::string text(1000, 'x');
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    FakeCall call(server_, "/t.T/Unary", {{"grpc-encoding", std::string(ContentCodingName(coding))}});
    call.Bytes(Framed(Coded(coding, text), 1), true);
    EXPECT_THAT(call.Messages(), ElementsAre("0:" + text));
    FakeCall plain(server_, "/t.T/Unary", {{"grpc-encoding", std::string(ContentCodingName(coding))}});
    plain.Unary("as it is");
    EXPECT_THAT(plain.Messages(), ElementsAre("0:as it is"));
  }
}

TEST_F(CallSinkTest, LargeCompressedMessagesAreInflatedElsewhereAndInOrder) {
  server_.options.offload_compressed_bytes = 30;
  Serve();
  FakeCall call(server_, "/t.T/Stream", {{"grpc-encoding", "gzip"}});
  const std::string coded = Coded(ContentCoding::kGzip, "0123456789 0123456789 abcdef");
  ASSERT_GE(coded.size(), 30u);
  call.Bytes(Framed("a") + Framed(coded, 1) + Framed("b")).Message("c").Bytes(Framed(coded, 1), true);
  EXPECT_EQ(log_, "a;");
  EXPECT_TRUE(call.paused);  // until the decompressed size is known
  EXPECT_EQ(server_.pool.waiting(), 1u);
  server_.pool.Run();
  EXPECT_EQ(log_, "a;");
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;0123456789 0123456789 abcdef;b;c;");
  server_.pool.Run();
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "a;0123456789 0123456789 abcdef;b;c;0123456789 0123456789 abcdef;half;");
  EXPECT_FALSE(call.paused);
}

TEST_F(CallSinkTest, ACallMayEndWhileItsMessageIsInflated) {
  server_.options.offload_compressed_bytes = 1;
  Serve();
  for (const bool deadline : {false, true}) {
    FakeCall call(server_, "/t.T/Unary", {{"grpc-encoding", "gzip"}, {"grpc-timeout", "1S"}});
    call.Bytes(Framed(Coded(ContentCoding::kGzip, "x"), 1), true);
    EXPECT_EQ(server_.pool.waiting(), 1u);
    if (deadline) {
      server_.loop.Advance(std::chrono::seconds(1));
      EXPECT_EQ(call.status(), "4");
    } else {
      call.Vanish();
    }
    server_.pool.Run();
    server_.loop.RunPosted();
    EXPECT_EQ(log_, "");
  }
}

TEST_F(CallSinkTest, InflatedMessagesAreCharged) {
  for (const size_t offload : {size_t{1}, size_t{1} << 30}) {
    FakeServer tight(5000);
    tight.options.offload_compressed_bytes = offload;
    std::string log;
    std::vector<Method> methods(1);
    methods[0].path = "/t.T/Unary";
    methods[0].unary = [&](CallContext, base::BufferSlice message, Responder responder) {
      log += std::to_string(message.size()) + " of " + std::to_string(tight.budget->used()) + ";";
      responder.Answer({});
    };
    tight.Serve(std::move(methods));
    for (const size_t bytes : {size_t{4000}, size_t{6000}}) {
      FakeCall call(tight, "/t.T/Unary", {{"grpc-encoding", "gzip"}});
      call.Bytes(Framed(Coded(ContentCoding::kGzip, std::string(bytes, 'x')), 1), true);
      tight.pool.Run();
      tight.loop.RunPosted();
      EXPECT_EQ(call.status(), bytes == 4000 ? "0" : "8");
    }
    EXPECT_EQ(log, "4000 of 4000;");
    EXPECT_EQ(tight.budget->used(), 0u);
  }
}

TEST_F(CallSinkTest, WhatCannotBeInflatedEndsTheCall) {
  server_.options.message_bytes_max = 200'000;
  for (const size_t offload : {size_t{1}, size_t{1} << 30}) {
    server_.options.offload_compressed_bytes = offload;
    Serve();
    const auto status = [&](const std::string& coded) {
      FakeCall call(server_, "/t.T/Unary", {{"grpc-encoding", "gzip"}});
      call.Bytes(Framed(coded, 1), true);
      server_.pool.Run();
      server_.loop.RunPosted();
      return call.status();
    };
    EXPECT_EQ(status("no gzip"), "13");
    EXPECT_EQ(status(Coded(ContentCoding::kGzip, "cut short").substr(0, 12)), "13");
    EXPECT_EQ(status(Coded(ContentCoding::kGzip, std::string(200'001, 'x'))), "8");
    EXPECT_EQ(log_, "");
    server_.handler.reset();
  }
}

}  // namespace
}  // namespace inferd::net::grpc
