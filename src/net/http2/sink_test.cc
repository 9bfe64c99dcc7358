#include "tests/support/recording_sink.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/http2/fake_peer.h"
#include "net/http2/session.h"

// Requests that are processed while their body arrives.

namespace inferd::net::http2 {
namespace {

using std::chrono::seconds;

class SinkTest : public ::testing::Test {
 protected:
  SinkTest() {
    host_.fake_handler.plan = [this](const RequestHead&) {
      BodyPlan plan;
      plan.sink = std::make_unique<RecordingSink>(record_);
      return plan;
    };
  }
  void Exchange() { peer_.Exchange(*session_, host_); }
  void Tick(seconds later) { session_->OnTick(base::SystemClock().NowNs() + std::chrono::nanoseconds(later).count()); }
  HttpResponse Ok(std::string_view body = "ok") { return HttpResponse::Text(200, "text/plain", body); }

  FakeSessionHost host_;
  std::shared_ptr<SinkRecord> record_ = std::make_shared<SinkRecord>();
  std::unique_ptr<Session> session_ = MakeSession(host_);
  FakePeer peer_;
};

TEST_F(SinkTest, TakesABodyAsItArrives) {
  const int32_t id = peer_.Request("POST", "/p", {}, "", false);
  Exchange();
  EXPECT_EQ(record_->calls, "begin open proceed ");
  EXPECT_EQ(record_->request.head.target, "/p");
  EXPECT_GT(record_->request.received_ns, 0);
  EXPECT_EQ(session_->in_flight(), 1u);
  peer_.More(id, "one", false);
  Exchange();
  peer_.More(id, "two", false);
  Exchange();
  EXPECT_EQ(record_->body, "onetwo");
  peer_.More(id, "", true);
  Exchange();
  EXPECT_EQ(record_->calls, "begin open proceed body proceed body proceed end proceed ");
  record_->reply.Send(Ok());
  Exchange();
  EXPECT_EQ(peer_[id].body, "ok");
  EXPECT_TRUE(record_->calls.ends_with("gone "));
  EXPECT_EQ(session_->in_flight(), 0u);
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  EXPECT_EQ(host_.fake_handler.requests, 0u);
}

TEST_F(SinkTest, AWholeRequestComesBeforeItIsOpened) {
  record_->on_open = [this] { record_->reply.Send(Ok()); };
  const int32_t id = peer_.Request("POST", "/p", {}, "body");
  Exchange();
  EXPECT_EQ(record_->calls, "begin body end open gone ");  // answered: no Proceed
  EXPECT_EQ(peer_[id].body, "ok");
}

TEST_F(SinkTest, ARequestWithoutBodyEndsAtOnce) {
  peer_.Request("POST", "/p");
  Exchange();
  EXPECT_EQ(record_->calls, "begin end open proceed ");
  record_->reply.Send(Ok());
}

TEST_F(SinkTest, AnAnswerBeforeTheEndCallsTheRestOff) {
  record_->on_proceed = [this] { record_->reply.Send(Ok()); };
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  EXPECT_EQ(peer_[id].body, "ok");
  EXPECT_TRUE(peer_[id].closed);
  EXPECT_EQ(peer_[id].error_code, uint32_t{NGHTTP2_NO_ERROR});
  EXPECT_EQ(record_->calls, "begin body open proceed gone ");
}

TEST_F(SinkTest, AnsweredItHearsNoMoreOfTheBody) {
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  record_->reply.Send(Ok());
  record_->calls.clear();
  peer_.More(id, "late", true);
  Exchange();
  EXPECT_EQ(record_->calls, "gone ");
  EXPECT_EQ(record_->body, "first");
}

TEST_F(SinkTest, HasNoBodyLimitButItsOwn) {
  host_.limits_value.body_bytes_max = 10;
  const int32_t id = peer_.Request("POST", "/p", {{"content-length", "3000000"}}, std::string(3'000'000, 'x'));
  Exchange();
  EXPECT_EQ(record_->body.size(), 3'000'000u);
  record_->reply.Send(Ok());
  Exchange();
  EXPECT_EQ(peer_[id].status(), 200);
}

TEST_F(SinkTest, WhilePausedThePeerHasOneWindow) {
  const int32_t id = peer_.Request("POST", "/p", {}, "", false);
  Exchange();
  record_->reply.PauseBody();
  peer_.More(id, std::string(5 << 20, 'x'), true);
  Exchange();
  EXPECT_EQ(record_->body.size(), size_t{2} << 20);
  // Other streams still have the connection's window.
  host_.fake_handler.plan = [](const RequestHead&) { return BodyPlan(); };
  const int32_t other = peer_.Request("POST", "/p", {}, std::string(8 << 20, 'y'));
  Exchange();
  EXPECT_EQ(peer_[other].status(), 200);
  record_->reply.ResumeBody();
  Exchange();
  EXPECT_EQ(record_->body.size(), size_t{5} << 20);
  EXPECT_TRUE(record_->calls.ends_with("end proceed "));
  record_->reply.Send(Ok());
  Exchange();
  EXPECT_EQ(peer_[id].status(), 200);
}

TEST_F(SinkTest, WhileItIsHeldBackThePeerHasOneWindow) {
  FakePeer slow(1);
  host_.limits_value.write_high_water = 1000;
  host_.fake_handler.plan = [](const RequestHead&) { return BodyPlan(); };
  host_.fake_handler.answer = [this](HttpRequest, Reply reply) { reply.Send(Ok(std::string(2000, 'x'))); };
  const int32_t large = slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  host_.fake_handler.plan = [this](const RequestHead&) {
    BodyPlan plan;
    plan.sink = std::make_unique<RecordingSink>(record_);
    return plan;
  };
  slow.Request("POST", "/p", {}, std::string(5 << 20, 'x'));
  slow.Exchange(*session_, host_);
  EXPECT_EQ(record_->body.size(), size_t{2} << 20);
  EXPECT_EQ(record_->calls.find("open"), std::string::npos);
  slow.OpenWindow(large, 2000);
  slow.Exchange(*session_, host_);
  EXPECT_EQ(record_->body.size(), size_t{5} << 20);
  record_->reply.Send(Ok());
}

TEST_F(SinkTest, AResetCancelsAndDestroysIt) {
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  bool gone = false;
  record_->reply.OnPeerGone([&] { gone = true; });
  peer_.Reset(id);
  Exchange();
  EXPECT_TRUE(gone);
  EXPECT_TRUE(record_->calls.ends_with("gone "));
  EXPECT_EQ(session_->in_flight(), 0u);
  record_->reply.Send(Ok());
}

TEST_F(SinkTest, AClosedConnectionCancelsAndDestroysIt) {
  peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  bool gone = false;
  record_->reply.OnPeerGone([&] { gone = true; });
  session_->OnClosed();
  host_.fake_loop.RunAll();
  EXPECT_TRUE(gone);
  EXPECT_TRUE(record_->calls.ends_with("gone "));
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  record_->reply.Send(Ok());
}

TEST_F(SinkTest, TheReplyCanBeTakenAway) {
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  bool cancelled = false;
  record_->reply.OnPeerGone([&] { cancelled = true; });
  const Reply::Key key = record_->reply.key();
  Reply claimed = key.Claim();
  ASSERT_TRUE(claimed);
  Exchange();
  EXPECT_TRUE(cancelled);
  record_->reply.Send(Ok("early"));
  claimed.Send(Ok("late"));
  EXPECT_FALSE(key.Claim());
  Exchange();
  EXPECT_EQ(peer_[id].body, "late");
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SinkTest, TimeCountsOnlyWhileThePeerOwesSomething) {
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  Tick(seconds(60));
  record_->awaits_more = true;
  record_->reply.PauseBody();
  Tick(seconds(120));
  Exchange();
  EXPECT_FALSE(peer_[id].closed);
  record_->reply.ResumeBody();
  bool gone = false;
  record_->reply.OnPeerGone([&] { gone = true; });
  Tick(seconds(240));
  Exchange();
  EXPECT_EQ(peer_[id].status(), 408);
  EXPECT_TRUE(gone);
  EXPECT_TRUE(record_->calls.ends_with("gone "));
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SinkTest, AnAnswerUnderWayBreaksOffWhenThePeerStalls) {
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  record_->reply.Start(Ok("begun"));
  record_->awaits_more = true;
  Exchange();
  Tick(seconds(60));
  Exchange();
  EXPECT_EQ(peer_[id].body, "begun");
  EXPECT_TRUE(peer_[id].closed);
  EXPECT_EQ(peer_[id].error_code, uint32_t{NGHTTP2_CANCEL});
}

TEST_F(SinkTest, ADrainWaitsForIt) {
  const int32_t id = peer_.Request("POST", "/p", {{"content-type", "application/grpc"}}, "first", false);
  Exchange();
  session_->BeginDrain();
  Exchange();
  EXPECT_EQ(session_->in_flight(), 1u);
  EXPECT_FALSE(host_.closing);
  peer_.More(id, "last", true);
  Exchange();
  EXPECT_EQ(record_->body, "firstlast");
  record_->reply.Send(Ok());
  Exchange();
  EXPECT_EQ(peer_[id].body, "ok");
  EXPECT_TRUE(host_.closing);
}

}  // namespace
}  // namespace inferd::net::http2
