#include "net/grpc/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/grpc/call_metrics.h"
#include "net/grpc/fake_call.h"

namespace inferd::net::grpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HandlerTest : public testing::Test {
 protected:
  // "/t.T/Unary" keeps what it is given; "/t.T/Stream" has a reader that logs.
  void Serve(std::unique_ptr<HttpHandler> fallback = nullptr) {
    std::vector<Method> methods;
    methods.push_back({.path = "/t.T/Unary",
                       .unary =
                           [this](CallContext context, base::BufferSlice message, Responder responder) {
                             log_ += "call " + std::string(message.view()) + ";";
                             context_ = std::move(context);
                             responder_ = std::move(responder);
                             if (echo_) responder_.Answer(MessageOf(message.view()));
                           },
                       .admit = [this](const RequestHead&) { return admitted_; }});
    methods.push_back({.path = "/t.T/Stream",
                       .streaming = [this](CallContext context, Responder responder) -> std::unique_ptr<MessageReader> {
                         context_ = std::move(context);
                         responder_ = std::move(responder);
                         return std::make_unique<Reader>(*this);
                       },
                       .message_bytes_max = 100,
                       .on_drain = [this] { log_ += "drain;"; }});
    server_.Serve(std::move(methods), std::move(fallback));
  }

  class Reader final : public MessageReader {
   public:
    explicit Reader(HandlerTest& test) : test_(test) {}
    ~Reader() override { test_.log_ += "gone;"; }
    void OnMessage(base::BufferSlice message) override {
      test_.log_ += std::string(message.view()) + ";";
      if (message.view() == "pause") test_.responder_.PauseReading();
      if (message.view() == "finish") test_.responder_.Finish(base::Status());
    }
    void OnHalfClose() override { test_.log_ += "half;"; }

   private:
    HandlerTest& test_;
  };

  std::string log_;  // readers write into it when they are destroyed, with the loop at the latest
  FakeServer server_;
  base::Status admitted_;
  bool echo_ = false;
  CallContext context_;
  Responder responder_;
};

TEST_F(HandlerTest, AnswersAUnaryCallInOneSend) {
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

TEST_F(HandlerTest, TakesABodyInAnyPieces) {
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

TEST_F(HandlerTest, UnknownMethodsAreUnimplemented) {
  Serve();
  const auto refused = [&](std::string path) {
    FakeCall call(server_, std::move(path));
    EXPECT_EQ(call.http_status, 200);
    EXPECT_EQ(call.status(), "12");
    EXPECT_TRUE(call.trailers.empty());  // Trailers-Only
    EXPECT_EQ(call.Header("content-type"), "application/grpc");
    return call.message();
  };
  EXPECT_EQ(refused("/t.T/Other"), "unknown method Other for service t.T");
  EXPECT_EQ(refused("/t.U/Unary"), "unknown service t.U");
  EXPECT_EQ(refused("/"), "malformed method name '/'");
  EXPECT_EQ(refused("x"), "malformed method name 'x'");
  EXPECT_EQ(refused("/t.T/Unary?x"), "unknown method Unary?x for service t.T");
}

TEST_F(HandlerTest, WhatIsNoCallIsRefusedByHttp) {
  Serve();
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", {}, "application/json").http_status, 415);
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary", {}, "").http_status, 415);
  FakeCall get(server_, "/t.T/Unary", {}, "application/grpc", net::Method::kGet);
  EXPECT_EQ(get.http_status, 405);
  EXPECT_EQ(get.Header("allow"), "POST");
  FakeCall old(server_, "/t.T/Unary", {}, "application/grpc", net::Method::kPost, false);
  EXPECT_EQ(old.http_status, 505);
}

class OtherHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest, Reply) override {}
};

TEST_F(HandlerTest, OtherContentTypesAreTheFallbacks) {
  Serve(std::make_unique<OtherHandler>());
  EXPECT_TRUE(FakeCall(server_, "/v2", {}, "application/json").foreign);
  EXPECT_TRUE(FakeCall(server_, "/v2", {}, "").foreign);
  EXPECT_FALSE(FakeCall(server_, "/v2").foreign);
}

TEST_F(HandlerTest, BadHeadersEndTheirCallAlone) {
  Serve();
  const auto status = [&](std::string name, std::string value) {
    return FakeCall(server_, "/t.T/Unary", {{std::move(name), std::move(value)}}).status();
  };
  EXPECT_EQ(status("grpc-timeout", "soon"), "3");
  EXPECT_EQ(status("x-bin", "***"), "3");
  FakeCall encoding(server_, "/t.T/Unary", {{"grpc-encoding", "snappy"}});
  EXPECT_EQ(encoding.status(), "12");
  EXPECT_EQ(encoding.Header("grpc-accept-encoding"), "identity,deflate,gzip");
  admitted_ = base::Status(base::StatusCode::kUnauthenticated, "who?");
  EXPECT_EQ(FakeCall(server_, "/t.T/Unary").message(), "who?");
  EXPECT_EQ(log_, "");
}

TEST_F(HandlerTest, AUnaryCallHasOneMessage) {
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

TEST_F(HandlerTest, OversizedMessagesAreRefusedAtTheirPrefix) {
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

TEST_F(HandlerTest, StreamsMessagesInOrder) {
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

TEST_F(HandlerTest, AReaderMayFinishTheCallInsideItsOwnCall) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Bytes(Framed("finish") + Framed("late"));
  EXPECT_EQ(log_, "finish;");
  EXPECT_EQ(call.status(), "0");
  EXPECT_EQ(call.sends, 1u);
  server_.loop.RunPosted();
  EXPECT_EQ(log_, "finish;gone;");
}

TEST_F(HandlerTest, APausedReaderGetsNothing) {
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

TEST_F(HandlerTest, WhatWaitsForAReaderIsCharged) {
  Serve();
  FakeCall call(server_, "/t.T/Stream");
  call.Message("pause");
  for (int i = 0; i < 1000; ++i) call.Message("x");
  EXPECT_GE(server_.budget->used(), 6000u);
  call.Vanish();
  EXPECT_EQ(server_.budget->used(), 0u);
}

TEST_F(HandlerTest, ErrorsBeforeAMessageAreTrailersOnly) {
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

TEST_F(HandlerTest, InitialMetadataStaysInitial) {
  Serve();
  FakeCall call(server_, "/t.T/Unary");
  call.Unary("x");
  responder_.AddInitialMetadata("x-i", "1");
  responder_.Finish(base::NotFound("no"));
  EXPECT_EQ(call.Header("x-i"), "1");
  EXPECT_EQ(call.trailers, (Trailers{{"grpc-status", "5"}, {"grpc-message", "no"}}));
}

TEST_F(HandlerTest, ADroppedCallIsInternal) {
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

TEST_F(HandlerTest, AGoneClientCancelsTheCall) {
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

TEST_F(HandlerTest, ADeadlineEndsTheCall) {
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

TEST_F(HandlerTest, ADeadlineEndsAStreamInTheMiddle) {
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

TEST_F(HandlerTest, ADeadlineInThePastEndsTheCallAtOnce) {
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"grpc-timeout", "0n"}});
  call.Bytes("");
  EXPECT_EQ(call.status(), "4");
  EXPECT_EQ(log_, "");
}

TEST_F(HandlerTest, AnAnsweredCallLeavesNoTimer) {
  echo_ = true;
  Serve();
  FakeCall call(server_, "/t.T/Unary", {{"grpc-timeout", "1S"}});
  call.Unary("x");
  EXPECT_EQ(call.status(), "0");
  EXPECT_EQ(server_.loop.timers(), 0u);
}

TEST_F(HandlerTest, MethodsHearOfTheDrain) {
  Serve();
  server_.handler->OnDrain();
  EXPECT_EQ(log_, "drain;");
}

TEST_F(HandlerTest, CallsAreCounted) {
  metrics::Registry registry;
  CallMetrics metrics(registry);
  server_.metrics = &metrics;
  echo_ = true;
  Serve();
  FakeCall(server_, "/t.T/Unary").Unary("x");
  FakeCall(server_, "/t.T/Stream").Message("x").Vanish();
  FakeCall(server_, "/t.T/Nothing").Unary("x");
  const std::string text = registry.PrometheusText();
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="t.T/Unary",code="OK"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="t.T/Stream",code="CANCELLED"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(inferd_grpc_calls_total{method="unknown",code="UNIMPLEMENTED"} 1)"));
}

}  // namespace
}  // namespace inferd::net::grpc
