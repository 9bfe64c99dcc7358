#include "net/http2/stream/requests.h"

#include <gtest/gtest.h>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http2 {
namespace {

class RequestsTest : public ::testing::Test {
 protected:
  RequestsTest() { nghttp2_session_callbacks_new(&callbacks_); }
  ~RequestsTest() override { nghttp2_session_callbacks_del(callbacks_); }

  FakeSessionHost host_;
  nghttp2_session_callbacks* callbacks_ = nullptr;
};

TEST_F(RequestsTest, ReadyStreamsComeInOrder) {
  Link link(host_, *callbacks_, nullptr);
  Requests requests(link);
  EXPECT_FALSE(requests.deliverable());
  requests.Ready(3);
  requests.Ready(1);
  EXPECT_TRUE(requests.deliverable());
  EXPECT_EQ(requests.PopReady(), 3);
  EXPECT_TRUE(requests.has_ready());
  EXPECT_EQ(requests.PopReady(), 1);
  EXPECT_FALSE(requests.has_ready());
}

TEST_F(RequestsTest, NothingIsDeliverableWhileMuchWaits) {
  host_.limits_value.write_high_water = 100;
  Link link(host_, *callbacks_, nullptr);
  Requests requests(link);
  requests.Ready(1);
  requests.AddQueued(101);
  EXPECT_FALSE(requests.deliverable());
  EXPECT_TRUE(requests.has_ready());
  requests.AddQueued(-1);
  EXPECT_TRUE(requests.deliverable());
}

TEST_F(RequestsTest, CountsWhatIsInFlight) {
  Link link(host_, *callbacks_, nullptr);
  Requests requests(link);
  requests.Begin();
  requests.Begin();
  requests.End();
  EXPECT_EQ(requests.in_flight(), 1U);
}

TEST_F(RequestsTest, KnowsAGrpcPeerByOneRequest) {
  Link link(host_, *callbacks_, nullptr);
  Requests requests(link);
  RequestHead head;
  head.headers.emplace_back("content-type", "application/json");
  requests.NoteHead(head);
  EXPECT_FALSE(link.grpc);
  RequestHead grpc;
  grpc.headers.emplace_back("content-type", "application/grpc+proto");
  requests.NoteHead(grpc);
  requests.NoteHead(head);
  EXPECT_TRUE(link.grpc);
}

}  // namespace
}  // namespace inferd::net::http2
