#include "ctl/bench/load/grpc_load.h"

#include <gtest/gtest.h>

#include "ctl/bench/load/fake_grpc_server.h"

namespace inferd::ctl {
namespace {

using State = LoadProtocol::State;

constexpr std::string_view kFramed("\0\0\0\0\2hi", 7);

class GrpcLoadTest : public ::testing::Test {
 protected:
  void Use(GrpcCall call) {
    call.path = "/p.S/M";
    call.message = "hi";
    call.metadata = {{"key", "value"}};
    protocol_ = GrpcLoad(net::ParseUrl("http://h:1").value(), std::move(call))();
  }

  // Transfers bytes in both directions until neither side has any.
  State Exchange() {
    State state = State::kOpen;
    for (bool moved = true; moved;) {
      moved = false;
      while (!protocol_->Output().empty()) {
        const std::string output(protocol_->Output());
        protocol_->Sent(output.size());
        server_.Take(output);
        moved = true;
      }
      if (const std::string bytes = server_.Give(); !bytes.empty()) {
        state = protocol_->Read(bytes, answers_);
        moved = true;
      }
    }
    return state;
  }

  // Returns the error of a unary call whose stream the server ends like this.
  std::string ErrorAfter(std::string_view status, const std::vector<std::string>& messages,
                         const FakeGrpcServer::Fields& trailers) {
    protocol_->Begin(0);
    Exchange();
    const int32_t id = server_.requests.rbegin()->first;
    server_.Head(id, status);
    for (const std::string& message : messages) server_.Message(id, message);
    server_.End(id, trailers);
    answers_.clear();
    EXPECT_EQ(Exchange(), State::kOpen);
    return answers_.size() == 1 ? answers_[0].error : "answers: " + std::to_string(answers_.size());
  }

  FakeGrpcServer server_;
  std::unique_ptr<LoadProtocol> protocol_;
  std::vector<LoadProtocol::Answer> answers_;
};

TEST_F(GrpcLoadTest, AUnaryCallIsAStreamOfItsOwn) {
  Use({});
  protocol_->Begin(0);
  protocol_->Begin(1);
  Exchange();
  ASSERT_EQ(server_.requests.size(), 2u + server_.requests.count(0));
  FakeGrpcServer::Request& request = server_.requests[3];
  EXPECT_EQ(request.fields[":path"], "/p.S/M");
  EXPECT_EQ(request.fields[":authority"], "h:1");
  EXPECT_EQ(request.fields["te"], "trailers");
  EXPECT_EQ(request.fields["content-type"], "application/grpc");
  EXPECT_EQ(request.fields["key"], "value");
  EXPECT_EQ(request.body, kFramed);
  EXPECT_TRUE(request.ended);

  server_.Head(3);
  server_.Message(3, "answer");
  EXPECT_EQ(Exchange(), State::kOpen);
  EXPECT_TRUE(answers_.empty());  // not before the status
  server_.End(3, {{"grpc-status", "0"}});
  EXPECT_EQ(Exchange(), State::kOpen);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].call, 1u);
  EXPECT_EQ(answers_[0].error, "");
}

TEST_F(GrpcLoadTest, TellsWhyAUnaryCallFailed) {
  Use({.answer_bytes = 2});
  EXPECT_EQ(ErrorAfter("200", {"ok"}, {{"grpc-status", "0"}}), "");
  EXPECT_EQ(ErrorAfter("200", {}, {{"grpc-status", "3"}, {"grpc-message", "bad shape"}}), "gRPC 3: bad shape");
  EXPECT_EQ(ErrorAfter("200", {"ok"}, {}), "no grpc-status");
  EXPECT_EQ(ErrorAfter("415", {}, {}), "HTTP 415");
  EXPECT_EQ(ErrorAfter("200", {}, {{"grpc-status", "0"}}), "expected one message, got 0");
  EXPECT_EQ(ErrorAfter("200", {"ok", "ok"}, {{"grpc-status", "0"}}), "expected one message, got 2");
  EXPECT_EQ(ErrorAfter("200", {"long"}, {{"grpc-status", "0"}}), "expected a message of 2 bytes, got 4");
}

TEST_F(GrpcLoadTest, AResetIsAnErrorOfThatCallAlone) {
  Use({});
  protocol_->Begin(0);
  protocol_->Begin(1);
  Exchange();
  server_.Reset(1);
  EXPECT_EQ(Exchange(), State::kOpen);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].call, 0u);
  EXPECT_EQ(answers_[0].error, "the stream was reset with HTTP/2 error 8");
}

TEST_F(GrpcLoadTest, AnAnswerBeforeTheRequestIsWholeEndsTheCall) {
  protocol_ = GrpcLoad(net::ParseUrl("http://h:1").value(), {.path = "/p.S/M", .message = std::string(100'000, 'x')})();
  protocol_->Begin(0);
  const std::string first(protocol_->Output());
  protocol_->Sent(first.size());
  server_.Take(first);
  server_.Head(1);
  server_.End(1, {{"grpc-status", "8"}, {"grpc-message", "too large"}});
  EXPECT_EQ(protocol_->Read(server_.Give(), answers_), State::kOpen);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].error, "gRPC 8: too large");
}

TEST_F(GrpcLoadTest, ALongStreamCarriesEveryCall) {
  Use({.stream = true, .answer_bytes = 2});
  protocol_->Begin(0);
  protocol_->Begin(1);
  Exchange();
  protocol_->Begin(2);
  Exchange();
  FakeGrpcServer::Request& request = server_.requests[1];
  EXPECT_EQ(request.body, std::string(kFramed) + std::string(kFramed) + std::string(kFramed));
  EXPECT_FALSE(request.ended);

  server_.Head(1);
  server_.Message(1, "ok");
  server_.Message(1, "more");
  EXPECT_EQ(Exchange(), State::kOpen);
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_EQ(answers_[0].call, 0u);
  EXPECT_EQ(answers_[0].error, "");
  EXPECT_EQ(answers_[1].call, 1u);
  EXPECT_EQ(answers_[1].error, "expected a message of 2 bytes, got 4");

  server_.End(1, {{"grpc-status", "14"}, {"grpc-message", "away"}});
  EXPECT_EQ(Exchange(), State::kBroken);
  EXPECT_EQ(protocol_->error(), "gRPC 14: away");
}

TEST_F(GrpcLoadTest, ALargeMessageIsSentAsTheWindowsOpen) {
  const GrpcCall call{.path = "/p.S/M", .message = std::string(1'000'000, 'x')};
  protocol_ = GrpcLoad(net::ParseUrl("http://h:1").value(), call)();
  protocol_->Begin(0);
  Exchange();
  EXPECT_EQ(server_.requests[1].body.size(), 5 + call.message.size());
  EXPECT_TRUE(server_.requests[1].ended);
}

TEST_F(GrpcLoadTest, GoawayIsTheEndAndGarbageBreaks) {
  Use({});
  protocol_->Begin(0);
  Exchange();
  server_.GoAway();
  EXPECT_EQ(Exchange(), State::kDone);
  EXPECT_EQ(protocol_->error(), "the server went away with HTTP/2 error 0");

  Use({});
  protocol_->Begin(0);
  EXPECT_EQ(protocol_->Read("HTTP/1.1 400 Bad Request\r\n\r\n", answers_), State::kBroken);
  EXPECT_EQ(protocol_->error(), "the server does not speak HTTP/2");
}

}  // namespace
}  // namespace inferd::ctl
