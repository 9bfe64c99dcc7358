#include "net/http2/session.h"

#include <gmock/gmock.h>

#include "base/clock.h"
#include "net/http2/session_fixture.h"

namespace inferd::net::http2 {
namespace {

TEST_F(SessionTest, TheHandlerSeesTheWholeRequest) {
  handler().answer = [](HttpRequest request, Reply reply) {
    EXPECT_EQ(request.head.method, Method::kPost);
    EXPECT_EQ(request.head.method_text, "POST");
    EXPECT_EQ(request.head.target, "/v2/a%20b/c?q=1");
    EXPECT_THAT(request.head.segments, ::testing::ElementsAre("v2", "a b", "c"));
    EXPECT_EQ(request.head.query, "q=1");
    EXPECT_EQ(request.head.Find("Host"), "h:1");
    EXPECT_EQ(request.head.Find("X-Thing"), "v");
    EXPECT_EQ(request.head.peer, "127.0.0.1:4242");
    EXPECT_EQ(request.head.content_length, 4u);
    EXPECT_TRUE(request.head.http2);
    EXPECT_GT(request.received_ns, 0);
    EXPECT_EQ(request.body.view(), "body");
    HttpResponse response = HttpResponse::Text(201, "text/plain", "made");
    response.headers.emplace_back("X-Split", "a\r\nb: c");
    response.headers.emplace_back("Connection", "close");
    reply.Send(std::move(response));
  };
  const int32_t id = peer_.Request("POST", "/v2/a%20b/c?q=1", {{"x-thing", "v"}, {"content-length", "4"}}, "body");
  Exchange();
  EXPECT_EQ(peer_[id].status(), 201);
  EXPECT_EQ(peer_[id].body, "made");
  EXPECT_EQ(peer_[id].headers["content-length"], "4");
  EXPECT_EQ(peer_[id].headers["content-type"], "text/plain");
  EXPECT_EQ(peer_[id].headers["x-split"], "a  b: c");
  EXPECT_EQ(peer_[id].headers.count("connection"), 0u);
  EXPECT_EQ(peer_[id].headers["date"].size(), 29u);
  EXPECT_TRUE(peer_[id].closed);
  EXPECT_EQ(host_.net_metrics.responses(201), 1);
  EXPECT_TRUE(session_->idle());
}

TEST_F(SessionTest, AnswersRepeatTheRequestsId) {
  const int32_t plain = peer_.Request("GET", "/v2");
  const int32_t named = peer_.Request("GET", "/v2", {{"x-request-id", "7f-1"}});
  const int32_t malformed = peer_.Request("GET", "/v2", {{"x-request-id", "two words"}});
  Exchange();
  EXPECT_EQ(peer_[plain].headers.count("x-request-id"), 0u);
  EXPECT_EQ(peer_[named].headers["x-request-id"], "7f-1");
  EXPECT_EQ(peer_[malformed].headers.count("x-request-id"), 0u);
  handler().plan = [](const RequestHead&) {
    BodyPlan plan;
    plan.refuse = HttpResponse::Text(404, "", "");
    return plan;
  };
  const int32_t refused = peer_.Request("GET", "/v2", {{"x-request-id", "8"}});
  Exchange();
  EXPECT_EQ(peer_[refused].status(), 404);
  EXPECT_EQ(peer_[refused].headers["x-request-id"], "8");
}

TEST_F(SessionTest, HeadersThatTheHandlerAsksForAreOnWhateverAnswer) {
  const auto headers = std::make_shared<const HeaderList>(HeaderList{{"X-More", "y"}});
  handler().plan = [&headers](const RequestHead& head) {
    BodyPlan plan;
    if (head.target == "/refused") plan.refuse = HttpResponse::Text(404, "", "");
    plan.bytes_max = 1;
    if (head.target != "/plain") plan.answer_headers = headers;
    return plan;
  };
  const int32_t answered = peer_.Request("GET", "/v2");
  const int32_t refused = peer_.Request("GET", "/refused");
  const int32_t plain = peer_.Request("GET", "/plain");
  const int32_t too_large = peer_.Request("POST", "/v2", {{"content-length", "9"}}, "too large");
  Exchange();
  EXPECT_EQ(peer_[answered].headers["x-more"], "y");
  EXPECT_EQ(peer_[refused].headers["x-more"], "y");
  EXPECT_EQ(peer_[plain].headers.count("x-more"), 0u);
  EXPECT_EQ(peer_[too_large].status(), 413);
  EXPECT_EQ(peer_[too_large].headers["x-more"], "y");
}

TEST_F(SessionTest, LargeBodiesPassTheWindowsInBothDirections) {
  Echo();
  handler().plan = [](const RequestHead&) { return BodyPlan{.refuse = {}, .align_at = 13}; };
  const std::byte* seen = nullptr;
  handler().answer = [&](HttpRequest request, Reply reply) {
    seen = request.body.data();
    HttpResponse response;
    response.body.push_back(request.body);
    reply.Send(std::move(response));
  };
  std::string body(9 << 20, 'x');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 + i / 1000);
  const int32_t first = peer_.Request("POST", "/p", {{"content-length", std::to_string(body.size())}}, body);
  const int32_t second = peer_.Request("POST", "/p", {}, body);
  Exchange();
  EXPECT_TRUE(peer_[first].body == body);
  EXPECT_TRUE(peer_[second].body == body);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(seen + 13) % 64, 0u);
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(SessionTest, TheBodyGoesWhereTheHandlerSays) {
  std::vector<std::byte> memory(1 << 20);
  int released = 0;
  handler().plan = [&](const RequestHead&) {
    BodyPlan plan;
    plan.memory = base::Buffer::Wrap(memory.data(), memory.size(), [&released] { ++released; });
    return plan;
  };
  handler().answer = [&](HttpRequest request, Reply reply) {
    const bool there = request.body.data() == memory.data();
    reply.Send(HttpResponse::Text(200, "", there ? "there" : "elsewhere"));
  };
  const std::string body(memory.size(), 'x');
  const int32_t known = peer_.Request("POST", "/p", {{"content-length", std::to_string(body.size())}}, body);
  Exchange();
  const int32_t unknown = peer_.Request("POST", "/p", {}, body);
  Exchange();
  EXPECT_EQ(peer_[known].body, "there");
  EXPECT_EQ(memory.back(), std::byte{'x'});
  EXPECT_EQ(peer_[unknown].body, "elsewhere");
  EXPECT_EQ(released, 2);
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(SessionTest, HeadHasTheHeadersOfGet) {
  const int32_t id = peer_.Request("HEAD", "/p");
  Exchange();
  EXPECT_EQ(peer_[id].status(), 200);
  EXPECT_EQ(peer_[id].headers["content-length"], "2");
  EXPECT_EQ(peer_[id].body, "");
  EXPECT_TRUE(peer_[id].closed);
}

TEST_F(SessionTest, AnEmptyAnswerEnds) {
  handler().answer = [](HttpRequest, Reply reply) { reply.Send(HttpResponse::Text(204, "", "")); };
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  EXPECT_EQ(peer_[id].status(), 204);
  EXPECT_EQ(peer_[id].headers.count("content-length"), 0u);
  EXPECT_TRUE(peer_[id].closed);
}

TEST_F(SessionTest, AnswersInAnyOrder) {
  Hold();
  const int32_t first = peer_.Request("GET", "/1");
  const int32_t second = peer_.Request("GET", "/2");
  Exchange();
  ASSERT_EQ(held_.size(), 2u);
  EXPECT_EQ(session_->in_flight(), 2u);
  held_[1].Send(HttpResponse::Text(200, "", "two"));
  Exchange();
  EXPECT_EQ(peer_[second].body, "two");
  EXPECT_FALSE(peer_[first].closed);
  held_[0].Send(HttpResponse::Text(200, "", "one"));
  Exchange();
  EXPECT_EQ(peer_[first].body, "one");
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(SessionTest, StreamsAResponseInPieces) {
  Hold();
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  HttpResponse start = HttpResponse::Text(200, "text/plain", "a");
  held_[0].Start(std::move(start));
  Exchange();
  EXPECT_EQ(peer_[id].body, "a");
  EXPECT_FALSE(peer_[id].closed);
  EXPECT_TRUE(held_[0].Write(base::BufferSlice(base::Buffer::CopyOf("b"))));
  Exchange();
  EXPECT_EQ(peer_[id].body, "ab");
  held_[0].End();
  Exchange();
  EXPECT_EQ(peer_[id].body, "ab");
  EXPECT_TRUE(peer_[id].closed);
  EXPECT_EQ(peer_[id].error_code, 0u);
}

TEST_F(SessionTest, AStreamingHandlerIsToldWhenToGoOn) {
  FakePeer slow(70'000);
  host_.limits_value.write_high_water = 100'000;
  Hold();
  const int32_t id = slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  held_[0].Start({});
  bool writable = false;
  EXPECT_FALSE(held_[0].Write(base::BufferSlice(base::Buffer::CopyOf(std::string(200'000, 'x')))));
  held_[0].OnWritable([&] { writable = true; });
  slow.Exchange(*session_, host_);
  EXPECT_FALSE(writable);
  slow.OpenWindow(id, 200'000);
  slow.Exchange(*session_, host_);
  EXPECT_TRUE(writable);
  EXPECT_EQ(slow[id].body.size(), 200'000u);
  writable = false;
  held_[0].OnWritable([&] { writable = true; });
  slow.Exchange(*session_, host_);
  EXPECT_TRUE(writable) << "what it waits for has already come";
}

TEST_F(SessionTest, ADroppedReplyIs500) {
  handler().answer = [](HttpRequest, Reply) {};
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  EXPECT_EQ(peer_[id].status(), 500);
  EXPECT_TRUE(peer_[id].body.starts_with("{\"error\":")) << peer_[id].body;
}

TEST_F(SessionTest, ADroppedStreamBreaksOff) {
  handler().answer = [](HttpRequest, Reply reply) { reply.Start({}); };
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  EXPECT_TRUE(peer_[id].closed);
  EXPECT_EQ(peer_[id].error_code, uint32_t{NGHTTP2_INTERNAL_ERROR});
}

TEST_F(SessionTest, AResetTellsTheHandler) {
  Hold();
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  bool gone = false;
  held_[0].OnPeerGone([&] { gone = true; });
  peer_.Reset(id);
  Exchange();
  EXPECT_TRUE(gone);
  EXPECT_EQ(session_->in_flight(), 0u);
  held_[0].Send(HttpResponse::Text(200, "", "late"));  // does nothing
  Exchange();
  EXPECT_EQ(peer_[id].body, "");
}

TEST_F(SessionTest, AClosedConnectionTellsTheHandler) {
  Hold();
  peer_.Request("GET", "/p");
  Exchange();
  bool gone = false;
  held_[0].OnPeerGone([&] { gone = true; });
  session_->OnClosed();
  host_.fake_loop.RunAll();
  EXPECT_TRUE(gone);
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  session_.reset();
  held_[0].Send({});
}

TEST_F(SessionTest, EofTellsTheHandlerAndStillAnswers) {
  Hold();
  const int32_t id = peer_.Request("GET", "/p");
  Exchange();
  bool gone = false;
  held_[0].OnPeerGone([&] { gone = true; });
  session_->OnEof();
  host_.fake_loop.RunAll();
  EXPECT_TRUE(gone);
  EXPECT_FALSE(host_.closing);
  held_[0].Send(HttpResponse::Text(200, "", "running"));
  Exchange();
  EXPECT_EQ(peer_[id].body, "running");
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, TrailersAreDropped) {
  Hold();
  const int32_t id = peer_.Request("POST", "/p", {}, "ab", false);
  Exchange();
  nghttp2_nv trailer = {reinterpret_cast<uint8_t*>(const_cast<char*>("t")),
                        reinterpret_cast<uint8_t*>(const_cast<char*>("v")), 1, 1, NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(peer_.session(), NGHTTP2_FLAG_END_STREAM, id, nullptr, &trailer, 1, nullptr);
  Exchange();
  EXPECT_EQ(handler().requests, 1u);
}

TEST_F(SessionTest, HoldsBackRequestsWhileResponsesWait) {
  FakePeer slow(1);
  host_.limits_value.write_high_water = 1000;
  handler().answer = [](HttpRequest, Reply reply) { reply.Send(HttpResponse::Text(200, "", std::string(2000, 'x'))); };
  for (int i = 0; i < 5; ++i) slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  EXPECT_EQ(handler().requests, 1u);
  slow.OpenWindow(1, 2000);
  slow.Exchange(*session_, host_);
  EXPECT_EQ(slow[1].body.size(), 2000u);
  EXPECT_EQ(handler().requests, 2u);
}

// The peer can no longer open its windows.
TEST_F(SessionTest, AnswersThatWaitForWindowsAreGivenUpAtTheEnd) {
  FakePeer slow(1);
  host_.limits_value.write_high_water = 1000;
  handler().answer = [](HttpRequest, Reply reply) { reply.Send(HttpResponse::Text(200, "", std::string(2000, 'x'))); };
  for (int i = 0; i < 5; ++i) slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  EXPECT_FALSE(host_.closing);
  session_->OnEof();
  slow.Exchange(*session_, host_);
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, AnAnswerThatWaitsForAWindowIsGivenUpBehindTheLastOneThatRuns) {
  FakePeer slow(1);
  Hold();
  for (int i = 0; i < 2; ++i) slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  ASSERT_EQ(held_.size(), 2u);
  held_[0].Send(HttpResponse::Text(200, "", std::string(2000, 'x')));
  session_->OnEof();
  slow.Exchange(*session_, host_);
  EXPECT_FALSE(host_.closing);
  held_[1].Send(HttpResponse::Text(204, "", ""));
  slow.Exchange(*session_, host_);
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, AStreamedResponseThatNobodyReadsHoldsNothingBack) {
  FakePeer slow(1000);
  host_.limits_value.write_high_water = 1000;
  Hold();
  slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  held_[0].Start({});
  EXPECT_FALSE(held_[0].Write(base::BufferSlice(base::Buffer::CopyOf(std::string(5000, 'x')))));
  slow.Exchange(*session_, host_);
  const int32_t other = slow.Request("GET", "/p");
  slow.Exchange(*session_, host_);
  ASSERT_EQ(held_.size(), 2u);
  held_[1].Send(HttpResponse::Text(204, "", ""));
  slow.Exchange(*session_, host_);
  EXPECT_EQ(slow[other].status(), 204);
}

TEST_F(SessionTest, DrainsInTwoSteps) {
  Hold();
  const int32_t running = peer_.Request("POST", "/1", {{"content-type", "application/grpc"}});
  Exchange();
  session_->BeginDrain();
  peer_.Take(TakeAll(*session_));
  ASSERT_EQ(peer_.goaways.size(), 1u);
  EXPECT_EQ(peer_.goaways[0], (std::pair<int32_t, uint32_t>{0x7fffffff, NGHTTP2_NO_ERROR}));
  Exchange();  // the PING comes back
  ASSERT_EQ(peer_.goaways.size(), 2u);
  EXPECT_EQ(peer_.goaways[1], (std::pair<int32_t, uint32_t>{running, NGHTTP2_NO_ERROR}));
  EXPECT_FALSE(host_.closing);
  held_[0].Send(HttpResponse::Text(200, "", "done"));
  Exchange();
  EXPECT_EQ(peer_[running].body, "done");
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, AnAnnouncedDrainIsToldBehindTheResponseThatLeavesNothingOpen) {
  Hold();
  const int32_t first = peer_.Request("GET", "/1");
  const int32_t second = peer_.Request("GET", "/2");
  Exchange();
  session_->AnnounceDrain();
  peer_.Take(TakeAll(*session_));
  held_[0].Send(HttpResponse::Text(200, "", "done"));
  peer_.Take(TakeAll(*session_));
  EXPECT_EQ(peer_[first].body, "done");
  EXPECT_EQ(peer_.goaways.size(), 0u) << "another waits";
  held_[1].Send(HttpResponse::Text(200, "", "done"));
  const std::string told = TakeAll(*session_);
  // Requests sent before the peer could know are served, and covered by the last GOAWAY.
  const int32_t third = peer_.Request("GET", "/3");
  Feed(*session_, peer_.Frames());
  peer_.Take(told);
  EXPECT_EQ(peer_[second].body, "done");
  ASSERT_EQ(peer_.goaways.size(), 1u) << "in the same write";
  EXPECT_EQ(peer_.goaways[0].first, 0x7fffffff);
  Exchange();
  ASSERT_EQ(peer_.goaways.size(), 1u) << "the PING waits";
  session_->OnTick(base::SystemClock().NowNs() + 1'000'000'000);
  Exchange();
  ASSERT_EQ(peer_.goaways.size(), 2u);
  EXPECT_EQ(peer_.goaways[1], (std::pair<int32_t, uint32_t>{third, NGHTTP2_NO_ERROR}));
  EXPECT_FALSE(host_.closing);
  ASSERT_EQ(held_.size(), 3u);
  held_[2].Send(HttpResponse::Text(200, "", "done"));
  Exchange();
  EXPECT_EQ(peer_[third].body, "done");
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, OneRequestAtATimeIsAnsweredBeforeTheNotice) {
  Hold();
  peer_.Request("GET", "/1");
  Exchange();
  session_->BeginDrain();
  const int64_t now_ns = base::SystemClock().NowNs();
  session_->OnTick(now_ns + 20'000'000'000);
  Exchange();
  EXPECT_EQ(peer_.goaways.size(), 0u);
  peer_.Request("GET", "/2");
  Exchange();
  session_->OnTick(now_ns + 20'000'000'000);
  peer_.Take(TakeAll(*session_));
  EXPECT_EQ(peer_.goaways.size(), 1u) << "several at a time may never come to an end";
}

TEST_F(SessionTest, ASilentPeerIsToldWhenTheServerEnds) {
  peer_.Request("GET", "/1");
  Exchange();
  session_->BeginDrain();
  const int64_t now_ns = base::SystemClock().NowNs();
  session_->OnTick(now_ns);
  Exchange();
  EXPECT_EQ(peer_.goaways.size(), 0u) << "a request may be on its way";
  session_->OnTick(now_ns + 2'000'000'000);
  Exchange();
  ASSERT_EQ(peer_.goaways.size(), 1u);
  EXPECT_EQ(peer_.goaways[0].first, 0x7fffffff);
  session_->OnTick(now_ns + 4'000'000'000);
  TakeAll(*session_);  // the peer's library reads nothing more: it has no open stream
  EXPECT_TRUE(host_.closing);
}

TEST_F(SessionTest, APeerThatDoesNotAnswerThePingIsLeftWhenItIsSilent) {
  const int32_t id = peer_.Request("POST", "/1", {{"content-type", "application/grpc"}});
  Exchange();
  EXPECT_EQ(peer_[id].body, "ok");
  session_->BeginDrain();
  TakeAll(*session_);  // and nobody reads it
  const int64_t now_ns = base::SystemClock().NowNs();
  session_->OnTick(now_ns);
  EXPECT_FALSE(host_.closing);
  session_->OnTick(now_ns + 2'000'000'000);
  peer_.Take(TakeAll(*session_));
  ASSERT_EQ(peer_.goaways.size(), 1u);
  EXPECT_EQ(peer_.goaways[0], (std::pair<int32_t, uint32_t>{id, NGHTTP2_NO_ERROR}));
  EXPECT_TRUE(host_.closing);
}

TEST(UpgradedSessionTest, AnswersOnStreamOne) {
  FakeSessionHost host;
  HttpRequest request;
  request.head.method_text = "GET";
  request.head.target = "/up";
  std::string target;
  host.fake_handler.answer = [&](HttpRequest r, Reply reply) {
    target = r.head.target;
    EXPECT_TRUE(r.head.http2);
    reply.Send(HttpResponse::Text(200, "", "hello"));
  };
  // SETTINGS_MAX_CONCURRENT_STREAMS 100, SETTINGS_INITIAL_WINDOW_SIZE 2^30.
  auto session = MakeUpgradedSession(host, "AAMAAABkAARAAAAA", request);
  ASSERT_TRUE(session.has_value()) << session.error().ToString();
  const std::string out = TakeAll(**session);
  EXPECT_EQ(target, "/up");
  EXPECT_NE(out.find("hello"), std::string::npos);
}

TEST(UpgradedSessionTest, RefusesBadSettings) {
  for (const char* settings : {"A", "!!!!", "AAMAAABkAA", "AAIAAAAF"}) {  // cut short; ENABLE_PUSH 5
    FakeSessionHost host;
    HttpRequest request;
    request.head.target = "/up";
    EXPECT_FALSE(MakeUpgradedSession(host, settings, request).has_value()) << settings;
    EXPECT_EQ(request.head.target, "/up");
  }
}

}  // namespace
}  // namespace inferd::net::http2
