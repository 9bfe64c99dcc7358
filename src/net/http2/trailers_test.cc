#include <gtest/gtest.h>

#include "net/http2/fake_peer.h"
#include "net/http2/session.h"

namespace inferd::net::http2 {
namespace {

// One frame as it was sent.
struct Frame {
  uint8_t type = 0;
  uint8_t flags = 0;
  size_t size = 0;

  bool ends() const { return (flags & NGHTTP2_FLAG_END_STREAM) != 0; }
};

class TrailersTest : public ::testing::Test {
 protected:
  // Returns the frames of stream 1, whose request `answer` answers.
  std::vector<Frame> FramesOf(std::function<void(Reply)> answer, std::string_view method = "POST") {
    host_.fake_handler.answer = [&](HttpRequest, Reply reply) { answer(std::move(reply)); };
    id_ = peer_.Request(method, "/p");
    Feed(*session_, peer_.Frames());
    const std::string out = TakeAll(*session_);
    peer_.Take(out);
    std::vector<Frame> frames;
    for (size_t at = 0; at < out.size();) {
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(out[at + i]); };
      const Frame frame{byte(3), byte(4), static_cast<size_t>(byte(0) << 16 | byte(1) << 8 | byte(2))};
      if (byte(8) == id_) frames.push_back(frame);
      at += 9 + frame.size;
    }
    return frames;
  }
  static HttpResponse Grpc(std::string_view body, Trailers trailers = {}) {
    HttpResponse response = HttpResponse::Text(200, "application/grpc", body);
    response.trailers = std::move(trailers);
    return response;
  }

  FakeSessionHost host_;
  std::unique_ptr<Session> session_ = MakeSession(host_);
  FakePeer peer_;
  int32_t id_ = 0;
};

TEST_F(TrailersTest, FollowAWholeResponse) {
  const auto frames =
      FramesOf([](Reply reply) { reply.Send(Grpc("body", {{"Grpc-Status", "0"}, {"grpc-message", "a\nb"}})); });
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].type, NGHTTP2_HEADERS);
  EXPECT_EQ(frames[1].type, NGHTTP2_DATA);
  EXPECT_EQ(frames[2].type, NGHTTP2_HEADERS);
  EXPECT_FALSE(frames[0].ends() || frames[1].ends());
  EXPECT_TRUE(frames[2].ends());
  EXPECT_EQ(peer_[id_].body, "body");
  EXPECT_EQ(peer_[id_].headers["grpc-status"], "0");
  EXPECT_EQ(peer_[id_].headers["grpc-message"], "a b");
  EXPECT_TRUE(peer_[id_].closed);
}

TEST_F(TrailersTest, FollowTheHeadersOfAnEmptyBody) {
  const auto frames = FramesOf([](Reply reply) { reply.Send(Grpc("", {{"grpc-status", "0"}})); });
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].type, NGHTTP2_HEADERS);
  EXPECT_FALSE(frames[0].ends());
  EXPECT_EQ(frames[1].type, NGHTTP2_HEADERS);
  EXPECT_TRUE(frames[1].ends());
  EXPECT_TRUE(peer_[id_].closed);
}

TEST_F(TrailersTest, AResponseWithNeitherEndsOnItsHeaders) {
  const auto frames = FramesOf([](Reply reply) { reply.Send(Grpc("")); });
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].ends());
}

TEST_F(TrailersTest, EndAStreamedResponse) {
  const auto frames = FramesOf([](Reply reply) {
    reply.Start(Grpc("a"));
    reply.Write(base::BufferSlice(base::Buffer::CopyOf("b")));
    reply.End({{"grpc-status", "0"}});
  });
  EXPECT_EQ(peer_[id_].body, "ab");
  EXPECT_EQ(peer_[id_].headers["grpc-status"], "0");
  EXPECT_EQ(frames.back().type, NGHTTP2_HEADERS);
  EXPECT_TRUE(peer_[id_].closed);
}

TEST_F(TrailersTest, EndAStreamedResponseThatWaitedForThem) {
  Reply held;
  FramesOf([&](Reply reply) {
    reply.Start(Grpc("a"));
    held = std::move(reply);
  });
  peer_.Exchange(*session_, host_);
  EXPECT_EQ(peer_[id_].body, "a");
  held.End({{"grpc-status", "7"}});
  peer_.Exchange(*session_, host_);
  EXPECT_EQ(peer_[id_].headers["grpc-status"], "7");
  EXPECT_TRUE(peer_[id_].closed);
  EXPECT_EQ(peer_[id_].error_code, 0u);
}

TEST_F(TrailersTest, WaitForTheBodyToPassTheWindow) {
  FakePeer slow(1000);
  host_.fake_handler.answer = [](HttpRequest, Reply reply) {
    reply.Send(Grpc(std::string(5000, 'x'), {{"grpc-status", "0"}}));
  };
  const int32_t id = slow.Request("POST", "/p");
  slow.Exchange(*session_, host_);
  EXPECT_EQ(slow[id].headers.count("grpc-status"), 0u);
  slow.OpenWindow(id, 4000);
  slow.Exchange(*session_, host_);
  EXPECT_EQ(slow[id].body.size(), 5000u);
  EXPECT_EQ(slow[id].headers["grpc-status"], "0");
}

TEST_F(TrailersTest, HeadHasNone) {
  const auto frames = FramesOf([](Reply reply) { reply.Send(Grpc("body", {{"grpc-status", "0"}})); }, "HEAD");
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].ends());
}

TEST_F(TrailersTest, GrpcHasNeitherDateNorLength) {
  FramesOf([](Reply reply) { reply.Send(Grpc("body")); });
  EXPECT_EQ(peer_[id_].headers.count("date"), 0u);
  EXPECT_EQ(peer_[id_].headers.count("content-length"), 0u);
}

}  // namespace
}  // namespace inferd::net::http2
