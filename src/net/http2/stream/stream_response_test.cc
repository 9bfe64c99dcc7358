#include "net/http2/stream/stream_response.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/body/slice_writer.h"
#include "tests/support/fake_session_host.h"

namespace inferd::net::http2 {
namespace {

// Responses to requests that nghttp2 does not know: their output goes nowhere.
class StreamResponseTest : public ::testing::Test {
 protected:
  static nghttp2_session_callbacks& NoCallbacks() {
    static nghttp2_session_callbacks* const callbacks = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      return made;
    }();
    return *callbacks;
  }
  std::unique_ptr<StreamResponse> Make() { return std::make_unique<StreamResponse>(context_, 1, flow_); }
  static HttpResponse Ok(std::string_view body) { return HttpResponse::Text(200, "text/plain", body); }
  static base::BufferSlice Piece(std::string_view text) { return std::move(Ok(text).body.front()); }

  std::string TakeBody(StreamResponse& response, size_t bytes) {
    std::vector<base::BufferSlice> out;
    response.TakeBody(bytes, host_.writer(), out, context_.link.now_ns);
    std::string text;
    for (const base::BufferSlice& slice : out) text += slice.view();
    return text;
  }

  FakeSessionHost host_;
  Link link_{host_, NoCallbacks(), nullptr};
  StreamContext context_{link_, {}};
  BodyFlow flow_{context_, 1, 0};
  bool ends_ = false;
};

TEST_F(StreamResponseTest, AWholeResponseLeavesInSteps) {
  const auto response = Make();
  Reply reply = response->BeginRequest();
  EXPECT_TRUE(response->in_flight());
  EXPECT_EQ(context_.requests.in_flight(), 1U);
  reply.Send(Ok("hello"));
  EXPECT_FALSE(response->in_flight());
  EXPECT_EQ(context_.requests.in_flight(), 0U);

  EXPECT_EQ(response->ReadyBytes(3, ends_), 3);
  EXPECT_FALSE(ends_);
  EXPECT_EQ(TakeBody(*response, 3), "hel");
  EXPECT_FALSE(response->answered());
  EXPECT_EQ(response->ReadyBytes(3, ends_), 2);
  EXPECT_TRUE(ends_);
  EXPECT_EQ(TakeBody(*response, 2), "lo");
  EXPECT_TRUE(response->answered());
}

TEST_F(StreamResponseTest, AStreamedResponseWaitsForItsPieces) {
  const auto response = Make();
  Reply reply = response->BeginRequest();
  reply.Start(Ok(""));
  EXPECT_EQ(response->ReadyBytes(100, ends_), -1);
  EXPECT_TRUE(reply.Write(Piece("ab")));
  EXPECT_EQ(response->ReadyBytes(100, ends_), 2);
  EXPECT_FALSE(ends_);
  TakeBody(*response, 2);
  reply.End({{"grpc-status", "0"}});
  EXPECT_EQ(response->ReadyBytes(100, ends_), 0);
  EXPECT_TRUE(ends_);
  EXPECT_TRUE(response->answered());
  ASSERT_EQ(response->trailers().size(), 1U);
}

TEST_F(StreamResponseTest, AResponseToHeadHasNoBody) {
  RequestHead head;
  head.method = Method::kHead;
  const auto response = Make();
  response->TakeHead(head);
  response->BeginRequest().Send(Ok("hello"));
  EXPECT_EQ(response->queued_bytes(), 0U);
  EXPECT_TRUE(response->answered());
}

TEST_F(StreamResponseTest, WholeResponsesHoldOthersBackUntilTheyLeaveOrAreGone) {
  host_.limits_value.write_high_water = 4;
  context_.requests.Ready(3);
  auto response = Make();
  response->BeginRequest().Send(Ok("hello"));
  EXPECT_FALSE(context_.requests.deliverable());
  TakeBody(*response, 1);
  EXPECT_TRUE(context_.requests.deliverable());
  response = Make();
  response->BeginRequest().Send(Ok("hello"));
  EXPECT_FALSE(context_.requests.deliverable());
  response = nullptr;
  EXPECT_TRUE(context_.requests.deliverable());
}

TEST_F(StreamResponseTest, AStreamedResponseHoldsNoOtherBack) {
  host_.limits_value.write_high_water = 4;
  context_.requests.Ready(3);
  const auto response = Make();
  Reply reply = response->BeginRequest();
  reply.Start(Ok(""));
  EXPECT_FALSE(reply.Write(Piece("hello")));
  EXPECT_TRUE(context_.requests.deliverable());
  bool writable = false;
  reply.OnWritable([&] { writable = true; });
  TakeBody(*response, 3);
  host_.fake_loop.RunAll();
  EXPECT_TRUE(writable);
}

TEST_F(StreamResponseTest, ThePeersEndIsToldOnlyWhileTheRequestIsInFlight) {
  int gone = 0;
  auto response = Make();
  Reply reply = response->BeginRequest();
  reply.OnPeerGone([&] { ++gone; });
  response = nullptr;
  host_.fake_loop.RunAll();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(context_.requests.in_flight(), 0U);

  response = Make();
  reply = response->BeginRequest();
  reply.OnPeerGone([&] { ++gone; });
  reply.Send(Ok("hello"));
  response = nullptr;
  host_.fake_loop.RunAll();
  EXPECT_EQ(gone, 1);
}

TEST_F(StreamResponseTest, ARefusalTakesTheReplysPlace) {
  const auto response = Make();
  Reply reply = response->BeginRequest();
  response->Refuse(response->Refusal(408, "late"));
  EXPECT_FALSE(response->in_flight());
  const uint64_t queued = response->queued_bytes();
  EXPECT_GT(queued, 0U);
  reply.Send(Ok("hello"));
  EXPECT_EQ(response->queued_bytes(), queued);
}

TEST_F(StreamResponseTest, APausedBodyStaysPausedUntilItIsResumed) {
  const auto response = Make();
  Reply reply = response->BeginRequest();
  reply.PauseBody();
  EXPECT_TRUE(flow_.paused());
  flow_.Keep(10);
  host_.wants_write = false;
  flow_.Open();
  EXPECT_FALSE(host_.wants_write);
  reply.ResumeBody();
  EXPECT_FALSE(flow_.paused());
  EXPECT_TRUE(host_.wants_write);  // to send a WINDOW_UPDATE
  EXPECT_EQ(flow_.moved_ns(), link_.now_ns);
  host_.wants_write = false;
  flow_.Open();
  EXPECT_FALSE(host_.wants_write);  // no bytes are kept any more
}

}  // namespace
}  // namespace inferd::net::http2
