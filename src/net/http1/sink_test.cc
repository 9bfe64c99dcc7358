#include "tests/support/recording_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http1/session.h"
#include "tests/support/fake_session_host.h"

// Requests that another protocol processes as they arrive (RequestSink). HTTP/1.1 gives it the whole body at once.

namespace inferd::net::http1 {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kPostOfBody = "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
constexpr std::string_view kChunked =
    "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n";

class Http1SinkTest : public ::testing::Test {
 protected:
  Http1SinkTest() {
    host_.fake_handler.plan = [this](const RequestHead&) {
      BodyPlan plan;
      plan.sink = std::make_unique<RecordingSink>(record_);
      return plan;
    };
  }
  std::string Exchange(std::string_view bytes, size_t step = SIZE_MAX) {
    Feed(*session_, bytes, step);
    std::string out = TakeAll(*session_);
    host_.fake_loop.RunAll();
    return out;
  }
  HttpResponse Ok() { return HttpResponse::Text(200, "text/plain", "ok"); }

  FakeSessionHost host_;
  std::shared_ptr<SinkRecord> record_ = std::make_shared<SinkRecord>();
  std::unique_ptr<Session> session_ = std::make_unique<Session>(host_, nullptr);
};

TEST_F(Http1SinkTest, TakesTheWholeBody) {
  for (const std::string_view wire : {kPostOfBody, kChunked}) {
    record_->calls.clear();
    record_->body.clear();
    Exchange(wire, 3);
    EXPECT_EQ(record_->calls, "begin body end open proceed ");
    EXPECT_EQ(record_->body, "body");
    EXPECT_EQ(record_->request.head.target, "/p");
    EXPECT_EQ(session_->in_flight(), 1u);
    record_->reply.Send(Ok());
    EXPECT_THAT(Exchange(""), EndsWith("ok"));
    EXPECT_THAT(record_->calls, EndsWith("gone "));
    EXPECT_EQ(session_->in_flight(), 0u);
    EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  }
}

TEST_F(Http1SinkTest, MayAnswerAtOnceRequestAfterRequest) {
  record_->on_open = [this] { record_->reply.Send(Ok()); };
  const std::string out = Exchange(std::string(kPostOfBody) + std::string(kPostOfBody));
  EXPECT_THAT(out, HasSubstr("okHTTP/1.1 200 OK"));
  EXPECT_EQ(record_->calls, "begin body end open begin body end open gone gone ");
}

TEST_F(Http1SinkTest, LeavesTrailersOut) {
  Exchange(kPostOfBody);
  record_->reply.Start(Ok());
  record_->reply.End({{"grpc-status", "0"}});
  EXPECT_THAT(Exchange(""), EndsWith("ok\r\n0\r\n\r\n"));
}

TEST_F(Http1SinkTest, KeepsTheListenersBodyLimit) {
  host_.limits_value.body_bytes_max = 3;
  EXPECT_THAT(Exchange(kPostOfBody), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(record_->calls, "gone ");  // never begun
}

TEST_F(Http1SinkTest, AClosedConnectionCancelsAndDestroysIt) {
  Exchange(kPostOfBody);
  bool gone = false;
  record_->reply.OnPeerGone([&] { gone = true; });
  session_->OnClosed();
  EXPECT_TRUE(gone);
  EXPECT_THAT(record_->calls, EndsWith("gone "));
  record_->reply.Send(Ok());
}

TEST_F(Http1SinkTest, TheReplyCanBeTakenAway) {
  Exchange(kPostOfBody);
  bool cancelled = false;
  record_->reply.OnPeerGone([&] { cancelled = true; });
  Reply claimed = record_->reply.key().Claim();
  host_.fake_loop.RunAll();
  EXPECT_TRUE(cancelled);
  record_->reply.Send(HttpResponse::Text(500, "", ""));
  claimed.Send(Ok());
  EXPECT_THAT(Exchange(""), EndsWith("ok"));
}

}  // namespace
}  // namespace inferd::net::http1
