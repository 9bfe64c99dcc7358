#include "net/http/exchange.h"

#include <gtest/gtest.h>

#include "tests/support/fake_session_host.h"

namespace inferd::net {
namespace {

class RecordingExchange final : public Exchange {
 public:
  using Exchange::Exchange;
  void Send(HttpResponse&& response) override {
    log += "send " + std::to_string(response.status) + ";";
    Close();
  }
  void Start(HttpResponse&&) override { log += "start;"; }
  bool Write(base::BufferSlice) override {
    log += "write;";
    return true;
  }
  void End(Trailers trailers) override {
    for (const auto& [name, value] : trailers) log += name + "=" + value + ",";
    log += "end;";
    Close();
  }
  void OnWritable(base::Task) override { log += "writable;"; }
  void OnPeerGone(base::Task) override { log += "gone;"; }
  void PauseBody() override { log += "pause;"; }
  void ResumeBody() override { log += "resume;"; }
  void TellPeerGone() override { log += "tell;"; }
  void Abandon() override { log += "abandon;"; }

  std::string log;
};

HttpResponse Ok() { return HttpResponse::Text(200, "", ""); }

TEST(ExchangeTest, AReplyReachesItsExchangeOnce) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  Reply reply = exchange.Open();
  EXPECT_TRUE(reply);
  reply.Send(Ok());
  EXPECT_FALSE(reply);
  reply.Send(Ok());
  EXPECT_EQ(exchange.log, "send 200;");
}

TEST(ExchangeTest, AKeyTakesTheReplyAway) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  Reply first = exchange.Open();
  const Reply::Key key = first.key();
  Reply second = key.Claim();
  EXPECT_TRUE(second);
  EXPECT_FALSE(key.Claim());
  first.Send(Ok());
  second.End({{"grpc-status", "4"}});
  EXPECT_EQ(exchange.log, "tell;grpc-status=4,end;");
}

TEST(ExchangeTest, AKeyOfAnAnsweredExchangeTakesNothing) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  Reply reply = exchange.Open();
  const Reply::Key key = reply.key();
  reply.Send(Ok());
  EXPECT_FALSE(key.Claim());
  EXPECT_FALSE(Reply::Key().Claim());
}

TEST(ExchangeTest, PiecesGoThrough) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  Reply reply = exchange.Open();
  reply.OnPeerGone([] {});
  reply.Start(Ok());
  EXPECT_TRUE(reply.Write({}));
  reply.OnWritable([] {});
  reply.End();
  EXPECT_FALSE(reply.Write({}));
  EXPECT_EQ(exchange.log, "gone;start;write;writable;end;");
}

TEST(ExchangeTest, AReplyWhoseExchangeIsGoneFindsNothing) {
  FakeLoop loop;
  Reply::Target target(loop);
  auto first = std::make_unique<RecordingExchange>(target);
  Reply reply = first->Open();
  first.reset();
  // The slot is reused; the old key must not reach the new exchange.
  RecordingExchange second(target);
  const Reply other = second.Open();
  reply.Send(Ok());
  EXPECT_FALSE(reply.Write({}));
  EXPECT_EQ(second.log, "");
}

TEST(ExchangeTest, AReplyDroppedUnansweredIsAbandoned) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  {
    const Reply reply = exchange.Open();
  }
  EXPECT_EQ(exchange.log, "abandon;");
}

TEST(ExchangeTest, OpenAgainCutsTheEarlierReplyOff) {
  FakeLoop loop;
  Reply::Target target(loop);
  RecordingExchange exchange(target);
  Reply first = exchange.Open();
  Reply second = exchange.Open();
  first.Send(Ok());
  EXPECT_EQ(exchange.log, "");
  Reply moved;
  moved = std::move(second);
  moved.Send(Ok());
  EXPECT_EQ(exchange.log, "send 200;");
}

}  // namespace
}  // namespace inferd::net
