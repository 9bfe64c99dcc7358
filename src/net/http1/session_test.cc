#include "net/http1/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_session_host.h"

namespace inferd::net::http1 {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kGet = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr int64_t kSecond = 1'000'000'000;

std::string Post(std::string_view body, std::string_view headers = "") {
  return "POST /v2/echo HTTP/1.1\r\nHost: a\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

size_t Count(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

class Http1SessionTest : public ::testing::Test {
 protected:
  Http1SessionTest() { Reset(); }

  void Reset() { session_ = std::make_unique<Session>(host_, nullptr); }
  // Answers with the request's body and path.
  void Echo() {
    host_.fake_handler.answer = [](HttpRequest request, Reply reply) {
      HttpResponse response;
      response.headers.emplace_back("X-Target", request.head.target);
      if (!request.body.empty()) response.body.push_back(request.body);
      reply.Send(std::move(response));
    };
  }
  // Keeps the replies for the test to answer.
  void Hold() {
    host_.fake_handler.answer = [this](HttpRequest, Reply reply) { held_.push_back(std::move(reply)); };
  }
  std::string Exchange(std::string_view bytes) {
    Feed(*session_, bytes);
    return TakeAll(*session_);
  }
  // Feeds `bytes` to a new session, which must answer `status` in our form of error and close.
  void ExpectRefused(std::string_view bytes, int status) {
    Reset();
    host_.closing = false;
    const std::string answer = Exchange(bytes);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status) + " ")) << bytes.substr(0, 200);
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\n\r\n{\"error\":\""));
    EXPECT_EQ(Count(answer, "HTTP/1.1 "), 1u);
    EXPECT_TRUE(host_.closing);
    EXPECT_EQ(host_.budget->used(), 0u);
  }

  FakeSessionHost host_;
  std::vector<Reply> held_;
  std::unique_ptr<Session> session_;
};

TEST_F(Http1SessionTest, AnswersAndKeepsTheConnection) {
  for (int i = 0; i < 3; ++i) {
    const std::string answer = Exchange(kGet);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_THAT(answer, HasSubstr("Content-Length: 2\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nok"));
    EXPECT_THAT(answer, Not(HasSubstr("Connection")));
  }
  EXPECT_FALSE(host_.closing);
  EXPECT_TRUE(session_->idle());
  EXPECT_EQ(host_.net_metrics.responses(200), 3);
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
}

TEST_F(Http1SessionTest, AnswersRepeatTheRequestsId) {
  EXPECT_THAT(Exchange("GET /v2 HTTP/1.1\r\nHost: a\r\nx-request-ID: 7f-1\r\n\r\n"),
              HasSubstr("\r\nX-Request-Id: 7f-1\r\n"));
  EXPECT_THAT(Exchange(kGet), Not(HasSubstr("X-Request-Id"))) << "that was the request's before";
  EXPECT_THAT(Exchange("GET /v2 HTTP/1.1\r\nHost: a\r\nX-Request-Id: two words\r\n\r\n"),
              Not(HasSubstr("X-Request-Id")));
  host_.fake_handler.plan = [](const RequestHead& head) {
    EXPECT_EQ(head.request_id, "8");
    BodyPlan plan;
    plan.refuse = HttpResponse::Text(404, "", "");
    return plan;
  };
  EXPECT_THAT(Exchange(Post("body", "X-Request-Id: 8\r\n")),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("\r\nX-Request-Id: 8\r\n")));
}

TEST_F(Http1SessionTest, HeadersThatTheHandlerAsksForAreOnWhateverAnswer) {
  const auto headers = std::make_shared<const HeaderList>(HeaderList{{"X-More", "y"}});
  host_.fake_handler.plan = [&headers](const RequestHead& head) {
    BodyPlan plan;
    if (head.target == "/refused") plan.refuse = HttpResponse::Text(404, "", "");
    if (head.target == "/v2/echo") plan.bytes_max = 1;
    if (head.target != "/plain") plan.answer_headers = headers;
    return plan;
  };
  EXPECT_THAT(Exchange(kGet), HasSubstr("\r\nX-More: y\r\n"));
  EXPECT_THAT(Exchange("GET /refused HTTP/1.1\r\nHost: a\r\n\r\n"), HasSubstr("\r\nX-More: y\r\n"));
  EXPECT_THAT(Exchange("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"), Not(HasSubstr("X-More")));
  EXPECT_THAT(Exchange(Post("too large")), AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("\r\nX-More: y\r\n")));
}

TEST_F(Http1SessionTest, ReadsTheSameHoweverTheBytesArrive) {
  Echo();
  const std::string wire =
      "\r\n" + Post("hello", "X-Y: z\r\n") +
      "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: x\r\n\r\n" +
      std::string(kGet);
  const std::string expected = Exchange(wire);
  EXPECT_THAT(expected, HasSubstr("\r\n\r\nhelloHTTP/1.1 200 OK"));
  EXPECT_THAT(expected, HasSubstr("\r\n\r\nabcdeHTTP/1.1 200 OK"));
  for (size_t split = 1; split < wire.size(); ++split) {
    Reset();
    std::string got = Exchange(wire.substr(0, split));
    got += Exchange(wire.substr(split));
    EXPECT_EQ(got.size(), expected.size()) << split;
    EXPECT_EQ(Count(got, "HTTP/1.1 200 OK"), 3u) << split;
  }
  Reset();
  Feed(*session_, wire, 1);
  EXPECT_EQ(Count(TakeAll(*session_), "HTTP/1.1 200 OK"), 3u);
  EXPECT_TRUE(session_->idle());
}

TEST_F(Http1SessionTest, TheBodyIsAlignedWhereTheHandlerAsks) {
  host_.fake_handler.plan = [](const RequestHead& head) {
    EXPECT_THAT(head.segments, ::testing::ElementsAre("v2", "echo"));
    EXPECT_EQ(head.peer, "127.0.0.1:4242");
    return BodyPlan{.refuse = std::nullopt, .align_at = 11, .bytes_max = 0, .choice = 7};
  };
  host_.fake_handler.answer = [](HttpRequest request, Reply reply) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(request.body.data() + 11) % 64, 0u);
    EXPECT_GT(request.received_ns, 0);
    EXPECT_EQ(request.choice, 7u);
    EXPECT_EQ(request.head.Find("x-y"), "z");
    reply.Send(HttpResponse::Text(200, "", std::to_string(request.body.size())));
  };
  EXPECT_THAT(Exchange(Post(std::string(100, 'b'), "X-Y: z\r\n")), EndsWith("\r\n\r\n100"));
  EXPECT_THAT(Exchange(Post(std::string(300'000, 'b'), "X-Y: z\r\n")), EndsWith("\r\n\r\n300000"));
}

TEST_F(Http1SessionTest, TheBodyGoesWhereTheHandlerSays) {
  std::vector<std::byte> memory(100'000);
  int released = 0;
  host_.fake_handler.plan = [&](const RequestHead& head) {
    BodyPlan plan;
    if (head.content_length == memory.size()) {
      plan.memory = base::Buffer::Wrap(memory.data(), memory.size(), [&released] { ++released; });
    }
    return plan;
  };
  host_.fake_handler.answer = [&](HttpRequest request, Reply reply) {
    const bool there = request.body.data() == memory.data();
    reply.Send(HttpResponse::Text(200, "", there ? "there" : "elsewhere"));
  };
  EXPECT_THAT(Exchange(Post(std::string(memory.size(), 'b'))), EndsWith("\r\n\r\nthere"));
  EXPECT_EQ(memory.back(), std::byte{'b'});
  EXPECT_EQ(released, 1);
  EXPECT_THAT(Exchange(Post(std::string(memory.size() + 1, 'b'))), EndsWith("\r\n\r\nelsewhere"));
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(Http1SessionTest, ALongBodyIsReadStraightIntoItsPlace) {
  Echo();
  const std::string body(1'000'000, 'x');
  Feed(*session_, Post(body).substr(0, 50'000));
  EXPECT_GT(session_->PrepareRead().size(), 900'000u);
  Feed(*session_, Post(body).substr(50'000));
  EXPECT_THAT(TakeAll(*session_), EndsWith("\r\n\r\n" + body));
  EXPECT_EQ(host_.budget->used(), 0u);
}

TEST_F(Http1SessionTest, PipelinedRequestsAreExecutedOneByOneInOrder) {
  Hold();
  std::string wire;
  for (int i = 0; i < 3; ++i) wire += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(Exchange(wire), "");
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(held_.size(), i + 1);
    EXPECT_EQ(session_->in_flight(), 1u);
    held_[i].Send(HttpResponse::Text(200, "", "answer " + std::to_string(i)));
    EXPECT_THAT(TakeAll(*session_), EndsWith("answer " + std::to_string(i)));
  }
  EXPECT_EQ(session_->in_flight(), 0u);
}

TEST_F(Http1SessionTest, PipelinedInputIsBounded) {
  Hold();
  std::string wire;
  for (int i = 0; i < 2000; ++i) wire += kGet;
  Feed(*session_, wire);
  EXPECT_FALSE(host_.reading);
  EXPECT_EQ(held_.size(), 1u);
  held_[0].Send(HttpResponse());
  EXPECT_TRUE(host_.reading);
}

TEST_F(Http1SessionTest, HeadHasTheLengthAndNoBody) {
  const std::string answer = Exchange("HEAD /v2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(Http1SessionTest, NoContentHasNeitherLengthNorBody) {
  host_.fake_handler.answer = [](HttpRequest, Reply reply) { reply.Send(HttpResponse::Text(204, "", "x")); };
  const std::string answer = Exchange(kGet);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(Http1SessionTest, ConnectionCloseIsHonoured) {
  EXPECT_THAT(Exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(host_.closing);
  EXPECT_EQ(Exchange(kGet), "") << "what follows is ignored";
  Reset();
  host_.closing = false;
  EXPECT_THAT(Exchange("GET / HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(host_.closing);
  Reset();
  host_.closing = false;
  EXPECT_THAT(Exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_FALSE(host_.closing);
}

TEST_F(Http1SessionTest, TellsTheClientToContinueWhenItWaits) {
  Echo();
  const std::string wire = Post("hello", "Expect: 100-continue\r\n");
  const size_t head = wire.size() - 5;
  EXPECT_EQ(Exchange(wire.substr(0, head)), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(Exchange("hello"), EndsWith("\r\n\r\nhello"));
  EXPECT_THAT(Exchange(wire), StartsWith("HTTP/1.1 200 OK")) << "the body is already here";
}

TEST_F(Http1SessionTest, RefusesWhatItCannotTrust) {
  for (const std::string& request :
       {std::string("garbage\r\n\r\n"), std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\nHost: a\n\n"), std::string("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"), Post("a", "Transfer-Encoding: chunked\r\n"),
        Post("a", "Content-Length: 1\r\n"), std::string("GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string("GET /../a HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")}) {
    ExpectRefused(request, 400);
  }
  ExpectRefused("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505);
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501);
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", 417);
  ExpectRefused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  EXPECT_EQ(host_.fake_handler.requests, 0u);
}

TEST_F(Http1SessionTest, EachLimitHasItsError) {
  host_.limits_value.target_bytes_max = 100;
  host_.limits_value.header_bytes_max = 1000;
  host_.limits_value.header_count_max = 5;
  host_.limits_value.body_bytes_max = 2000;
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
  ExpectRefused("GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414);
  ExpectRefused("GET /" + std::string(5000, 'a'), 414);
  ExpectRefused(get + "X: " + std::string(1000, 'x') + "\r\n\r\n", 431);
  ExpectRefused(get + "A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\n\r\n", 431);
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 413);
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d1\r\n" + std::string(2001, 'x'),
                413);
  ExpectRefused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(1000, 'x'),
                431);
  EXPECT_EQ(host_.fake_handler.requests, 0u);
}

TEST_F(Http1SessionTest, AShortRefusedBodyIsDrainedAndTheConnectionGoesOn) {
  host_.limits_value.body_bytes_max = 10;
  const std::string refused = Exchange(Post(std::string(100, 'x')) + std::string(kGet));
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 413 Content Too Large\r\n"));
  EXPECT_THAT(refused, EndsWith("\r\n\r\nok"));
  EXPECT_FALSE(host_.closing);
}

TEST_F(Http1SessionTest, AHandlerMayRefuseBeforeTheBody) {
  host_.fake_handler.plan = [](const RequestHead& head) {
    BodyPlan plan;
    if (head.method == Method::kPost) plan.refuse = HttpResponse::Text(404, "", "no such model");
    return plan;
  };
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  const std::string answers = Exchange(Post("12345") + chunked + std::string(kGet));
  EXPECT_EQ(Count(answers, "HTTP/1.1 404 Not Found"), 2u);
  EXPECT_THAT(answers, EndsWith("\r\n\r\nok"));
  // The body is too long to be dropped, or the client waits for "100 Continue".
  EXPECT_THAT(Exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n"),
              HasSubstr("Connection: close"));
  EXPECT_TRUE(host_.closing);
  Reset();
  EXPECT_THAT(Exchange("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"),
              HasSubstr("Connection: close"));
}

TEST_F(Http1SessionTest, AFullBudgetIs503AndGivesItsBytesBack) {
  FakeSessionHost host(1000);
  Session session(host, nullptr);
  Feed(session, Post(std::string(2000, 'x')));
  const std::string answer = TakeAll(session);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(host.budget->used(), 0u);
}

TEST_F(Http1SessionTest, StreamsInChunks) {
  Hold();
  Feed(*session_, kGet);
  held_[0].Start(HttpResponse::Text(200, "text/event-stream", "first"));
  EXPECT_THAT(TakeAll(*session_), EndsWith("Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"));
  EXPECT_TRUE(held_[0].Write(base::BufferSlice(base::Buffer::CopyOf(std::string(20, 'x')))));
  EXPECT_EQ(TakeAll(*session_), "14\r\n" + std::string(20, 'x') + "\r\n");
  held_[0].End();
  EXPECT_EQ(TakeAll(*session_), "0\r\n\r\n");
  EXPECT_FALSE(host_.closing);
  EXPECT_THAT(Exchange(kGet), "");
  EXPECT_EQ(held_.size(), 2u);
}

TEST_F(Http1SessionTest, StreamsUntilTheEndOfAnHttp10Connection) {
  Hold();
  Feed(*session_, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  held_[0].Start(HttpResponse::Text(200, "", "first"));
  held_[0].End();
  EXPECT_THAT(TakeAll(*session_), EndsWith("Connection: close\r\n\r\nfirst"));
  EXPECT_TRUE(host_.closing);
}

TEST_F(Http1SessionTest, PiecesOfAKnownLengthAreNotChunked) {
  Hold();
  Feed(*session_, kGet);
  HttpResponse response = HttpResponse::Text(200, "", "first");
  response.length = 8;
  held_[0].Start(std::move(response));
  held_[0].Write(base::BufferSlice(base::Buffer::CopyOf("12345")));  // two bytes too many
  held_[0].End();
  const std::string answer = TakeAll(*session_);
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nfirst123"));
  EXPECT_FALSE(host_.closing);
}

TEST_F(Http1SessionTest, PiecesShortOfTheirLengthBreakTheConnectionOff) {
  Hold();
  Feed(*session_, kGet);
  HttpResponse response = HttpResponse::Text(200, "", "first");
  response.length = 8;
  held_[0].Start(std::move(response));
  held_[0].End();
  EXPECT_TRUE(host_.aborted);
}

TEST_F(Http1SessionTest, BackPressureFromAPeerThatDoesNotRead) {
  host_.limits_value.write_high_water = 1000;
  Hold();
  Feed(*session_, std::string(kGet) + std::string(kGet));
  held_[0].Start(HttpResponse());
  EXPECT_FALSE(held_[0].Write(base::BufferSlice(base::Buffer::CopyOf(std::string(2000, 'x')))));
  EXPECT_FALSE(host_.reading);
  bool writable = false;
  held_[0].OnWritable([&writable] { writable = true; });
  EXPECT_FALSE(writable);
  TakeAll(*session_);
  EXPECT_TRUE(writable);
  EXPECT_TRUE(host_.reading);
  // A complete response above the mark blocks the next request.
  held_[0].Write(base::BufferSlice(base::Buffer::CopyOf(std::string(2000, 'x'))));
  held_[0].End();
  EXPECT_EQ(held_.size(), 1u);
  TakeAll(*session_);
  EXPECT_EQ(held_.size(), 2u);
}

TEST_F(Http1SessionTest, AReplyDroppedUnansweredIs500) {
  host_.fake_handler.answer = [](HttpRequest, const Reply&) {};
  EXPECT_THAT(Exchange(kGet), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Exchange(kGet), StartsWith("HTTP/1.1 500 "));
  Hold();
  Feed(*session_, kGet);
  held_[0].Start(HttpResponse());
  held_.clear();
  EXPECT_TRUE(host_.aborted);
}

TEST_F(Http1SessionTest, FinAfterARequestCancelsWhatIsQueuedAndAnswersWhatRuns) {
  Hold();
  Feed(*session_, std::string(kGet) + std::string(kGet));
  bool gone = false;
  held_[0].OnPeerGone([&gone] { gone = true; });
  session_->OnEof();
  EXPECT_TRUE(gone);
  held_[0].Send(HttpResponse::Text(200, "", "late"));
  EXPECT_THAT(TakeAll(*session_), EndsWith("late"));
  EXPECT_TRUE(host_.closing);
  EXPECT_EQ(held_.size(), 1u) << "the second was not begun";
}

TEST_F(Http1SessionTest, HalfClosedClientsAreKeptIfAsked) {
  host_.limits_value.keep_half_closed = true;
  Hold();
  Feed(*session_, std::string(kGet) + std::string(kGet));
  bool gone = false;
  held_[0].OnPeerGone([&gone] { gone = true; });
  session_->OnEof();
  EXPECT_FALSE(gone);
  held_[0].Send(HttpResponse());
  ASSERT_EQ(held_.size(), 2u);
  EXPECT_FALSE(host_.closing);
  held_[1].Send(HttpResponse());
  EXPECT_TRUE(host_.closing);
  EXPECT_EQ(Count(TakeAll(*session_), "HTTP/1.1 200 OK"), 2u);
}

TEST_F(Http1SessionTest, AConnectionThatIsGoneLeavesNothing) {
  Hold();
  Feed(*session_, Post("hello"));
  int gone = 0;
  held_[0].OnPeerGone([&gone] { ++gone; });
  session_->OnClosed();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(host_.net_metrics.in_flight(), 0);
  session_.reset();
  held_[0].Send(HttpResponse());
  EXPECT_EQ(gone, 1);
}

TEST_F(Http1SessionTest, ATruncatedRequestIsNotExecuted) {
  const std::string post = Post("hello");
  for (size_t size = 0; size < post.size(); ++size) {
    Reset();
    host_.closing = false;
    Feed(*session_, post.substr(0, size));
    session_->OnEof();
    EXPECT_TRUE(host_.closing) << size;
    EXPECT_EQ(host_.budget->used(), 0u);
  }
  EXPECT_EQ(host_.fake_handler.requests, 0u);
}

TEST_F(Http1SessionTest, SlowHeadsBodiesAndReadersAreTimedOut) {
  session_->OnTick(kSecond);
  Feed(*session_, "GET / HT");
  session_->OnTick(2 * kSecond);
  Feed(*session_, "TP/1.1\r\nX");
  session_->OnTick(12 * kSecond);
  EXPECT_EQ(TakeAll(*session_), "");
  session_->OnTick(13 * kSecond);
  EXPECT_THAT(TakeAll(*session_), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_TRUE(host_.closing);

  Reset();
  Feed(*session_, Post("hello").substr(0, Post("hello").size() - 2));
  session_->OnTick(kSecond);
  session_->OnTick(31 * kSecond);
  Feed(*session_, "l");
  session_->OnTick(32 * kSecond);
  session_->OnTick(62 * kSecond);
  EXPECT_EQ(TakeAll(*session_), "") << "there was progress";
  session_->OnTick(63 * kSecond);
  EXPECT_THAT(TakeAll(*session_), StartsWith("HTTP/1.1 408 "));

  Reset();
  Feed(*session_, kGet);
  session_->OnTick(kSecond);
  session_->OnTick(31 * kSecond);
  EXPECT_FALSE(host_.aborted);
  session_->OnTick(32 * kSecond);
  EXPECT_TRUE(host_.aborted);
}

TEST_F(Http1SessionTest, IdleConnectionsAreClosedSilently) {
  Exchange(kGet);
  host_.closing = false;
  session_->OnTick(kSecond);
  session_->OnTick(76 * kSecond);
  EXPECT_FALSE(host_.closing);
  session_->OnTick(77 * kSecond);
  EXPECT_TRUE(host_.closing);
  EXPECT_EQ(TakeAll(*session_), "");
}

TEST_F(Http1SessionTest, ATickBetweenRequestsChangesNothing) {
  EXPECT_THAT(Exchange(kGet), EndsWith("ok"));
  session_->OnTick(kSecond);
  EXPECT_THAT(Exchange(kGet), EndsWith("ok"));
}

TEST_F(Http1SessionTest, DrainClosesWhatIsIdleForAWhileAndOthersAfterTheirResponse) {
  session_->BeginDrain();
  session_->OnTick(kSecond);
  session_->OnTick(2 * kSecond);
  EXPECT_FALSE(host_.closing) << "a request may be on its way";
  session_->OnTick(2 * kSecond + 1);
  EXPECT_TRUE(host_.closing);
  Reset();
  host_.closing = false;
  Hold();
  Feed(*session_, kGet);
  session_->BeginDrain();
  session_->OnTick(100 * kSecond);
  EXPECT_FALSE(host_.closing);
  held_[0].Send(HttpResponse());
  EXPECT_THAT(TakeAll(*session_), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(host_.closing);
}

TEST_F(Http1SessionTest, AnAnnouncedDrainIsToldWithTheNextResponseAndClosesNothingIdle) {
  session_->AnnounceDrain();
  session_->OnTick(kSecond);
  session_->OnTick(70 * kSecond);
  EXPECT_FALSE(host_.closing);
  EXPECT_THAT(Exchange(kGet), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(host_.closing);
}

TEST_F(Http1SessionTest, WhatIsPipelinedIsAnsweredBeforeADrainClosesTheConnection) {
  session_->AnnounceDrain();
  const std::string post = Post("hello");
  Hold();
  Feed(*session_, std::string(kGet) + post.substr(0, post.size() - 1));
  held_[0].Send(HttpResponse::Text(200, "", "first"));
  EXPECT_THAT(TakeAll(*session_), Not(HasSubstr("Connection: close")));
  EXPECT_FALSE(host_.closing);
  Feed(*session_, post.substr(post.size() - 1));
  ASSERT_EQ(held_.size(), 2u);
  held_[1].Send(HttpResponse::Text(200, "", "second"));
  EXPECT_THAT(TakeAll(*session_), AllOf(HasSubstr("Connection: close\r\n"), EndsWith("second")));
  EXPECT_TRUE(host_.closing);
}

TEST_F(Http1SessionTest, AnEmptyLineIsNoPipelinedRequest) {
  session_->AnnounceDrain();
  EXPECT_THAT(Exchange(Post("hello") + "\r\n"), HasSubstr("Connection: close\r\n"));
  Reset();
  host_.closing = false;
  Exchange(Post("hello") + "\r\n");
  session_->BeginDrain();
  session_->OnTick(kSecond);
  session_->OnTick(3 * kSecond);
  EXPECT_TRUE(host_.closing);
}

TEST_F(Http1SessionTest, DrainEndsAConnectionWhoseRefusedBodyIsDropped) {
  host_.limits_value.body_bytes_max = 10;
  const std::string post = Post(std::string(100, 'x'));
  EXPECT_THAT(Exchange(post.substr(0, post.size() - 50)), StartsWith("HTTP/1.1 413 "));
  session_->BeginDrain();
  EXPECT_FALSE(host_.closing);
  Exchange(post.substr(post.size() - 50));
  EXPECT_TRUE(host_.closing);
}

// Records the hand-over.
class FakeSuccessor final : public Successor {
 public:
  void OnHttp2Preface(std::span<const std::byte> bytes) override {
    preface.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  bool OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) override {
    upgraded = std::string(settings) + " " + std::string(request.head.target) + " " +
               std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return accept;
  }
  std::string preface;
  std::string upgraded;
  bool accept = true;
};

TEST_F(Http1SessionTest, HandsHttp2Over) {
  const std::string wire = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nframes";
  FakeSuccessor successor;
  Session whole(host_, &successor);
  Feed(whole, wire);
  EXPECT_EQ(successor.preface, wire);
  Session bytewise(host_, &successor);
  Feed(bytewise, wire, 1);
  EXPECT_EQ(successor.preface, wire.substr(0, 18)) << "as soon as it is certain";
  EXPECT_EQ(TakeAll(whole), "");
}

TEST_F(Http1SessionTest, UpgradesToHttp2OrGoesOn) {
  const std::string wire =
      "GET /x HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: "
      "AAMA\r\n\r\nPRI";
  FakeSuccessor successor;
  Session session(host_, &successor);
  Feed(session, wire);
  EXPECT_EQ(successor.upgraded, "AAMA /x PRI");
  EXPECT_EQ(host_.fake_handler.requests, 0u);
  successor.accept = false;
  Session refused(host_, &successor);
  Feed(refused, wire.substr(0, wire.size() - 3));
  EXPECT_THAT(TakeAll(refused), EndsWith("ok"));
}

}  // namespace
}  // namespace inferd::net::http1
