#include "net/payloadlog/logged_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "net/body/body.h"
#include "net/fake_exchange.h"

namespace inferd::payloadlog {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A log's payloads, after its end.
struct Written {
  std::mutex mutex;
  std::vector<Payload> payloads;
};

class WritingSink final : public PayloadSink {
 public:
  explicit WritingSink(Written& written) : written_(written) {}
  base::Status Send(const Payload& payload) override {
    const std::lock_guard lock(written_.mutex);
    written_.payloads.push_back(payload);
    return base::OkStatus();
  }

 private:
  Written& written_;
};

// Keeps its requests for the test to answer.
class KeepingHandler final : public net::HttpHandler {
 public:
  class Sink final : public net::RequestSink {
   public:
    explicit Sink(KeepingHandler& handler) : handler_(handler) {}
    void Begin(net::BodyPool&) override {}
    void OnBody(std::span<const std::byte> bytes) override {
      handler_.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    void OnBodyEnd() override {}
    void Open(net::HttpRequest, net::Reply reply) override { handler_.reply = std::move(reply); }
    void Proceed() override {}
    bool AwaitsMore() const override { return false; }

   private:
    KeepingHandler& handler_;
  };

  net::BodyPlan OnHead(const net::RequestHead&) override {
    net::BodyPlan plan;
    if (streams) plan.sink = std::make_unique<Sink>(*this);
    return plan;
  }
  void OnRequest(net::HttpRequest request, net::Reply outer) override {
    body = request.body.view();
    reply = std::move(outer);
  }

  bool streams = false;
  std::string body;
  net::Reply reply;
};

class LoggedHandlerTest : public ::testing::Test {
 protected:
  void Start(LogMode mode = LogMode::kAll) {
    PayloadLogOptions options;
    options.mode = mode;
    options.workers = 1;
    options.bytes_max = 100;
    log_ = std::make_unique<PayloadLog>(
        options, [this] { return std::make_unique<WritingSink>(written_); }, registry_, *logger_);
    auto inner = std::make_unique<KeepingHandler>();
    inner_ = inner.get();
    handler_ = MakeLoggedHandler(
        *log_, [](const net::RequestHead& head) { return head.target.starts_with("/v1/models/"); }, target_,
        std::move(inner));
  }
  net::HttpRequest Request(std::string_view target, std::string_view body) {
    net::HttpRequest request;
    request.head.method = net::Method::kPost;
    request.head.target = target;
    request.head.headers = {{"content-type", "application/json"}, {"Ce-Id", "7"}, {"traceparent", "00-1"}};
    if (!body.empty()) request.body = base::BufferSlice(base::Buffer::CopyOf(body));
    return request;
  }
  void Ask(std::string_view target = "/v1/models/m:predict?x=1", std::string_view body = "in") {
    handler_->OnRequest(Request(target, body), exchange_.Open());
  }
  static net::HttpResponse Answer(int status, std::string_view body) {
    net::HttpResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.headers = {{"X-Other", "1"}, {"Inference-Header-Content-Length", "3"}};
    response.body.emplace_back(base::Buffer::CopyOf(body));
    return response;
  }
  // Returns "kind id body" of each payload.
  std::vector<std::string> End() {
    loop_.RunAll();
    log_.reset();
    std::vector<std::string> lines;
    for (const Payload& payload : written_.payloads) {
      std::string line = payload.kind == PayloadKind::kRequest ? "request " : "response ";
      line += payload.id + " ";
      for (const base::BufferSlice& piece : payload.body) line += piece.view();
      lines.push_back(line);
    }
    return lines;
  }

  net::FakeLoop loop_;
  net::Reply::Target target_{loop_};
  net::FakeExchange exchange_{target_};
  metrics::Registry registry_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  Written written_;
  std::unique_ptr<PayloadLog> log_;
  std::unique_ptr<net::HttpHandler> handler_;
  KeepingHandler* inner_ = nullptr;
};

TEST_F(LoggedHandlerTest, ARequestAndItsResponseAreLoggedAndPassAsTheyAre) {
  Start();
  Ask();
  EXPECT_EQ(inner_->body, "in");
  inner_->reply.Send(Answer(200, "out"));
  ASSERT_EQ(exchange_.responses.size(), 1u);
  EXPECT_EQ(net::BodyText(exchange_.responses[0]), "out");
  EXPECT_EQ(net::HeaderValue(exchange_.responses[0], "X-Other"), "1");
  EXPECT_THAT(End(), ElementsAre("request 7 in", "response 7 out"));
  const Payload& request = written_.payloads[0];
  EXPECT_EQ(request.subject, "/v1/models/m:predict");
  EXPECT_EQ(request.traceparent, "00-1");
  EXPECT_THAT(request.fields, ElementsAre(Pair("Content-Type", "application/json")));
  const Payload& response = written_.payloads[1];
  EXPECT_EQ(response.subject, "/v1/models/m:predict");
  EXPECT_THAT(response.fields,
              ElementsAre(Pair("Content-Type", "application/json"), Pair("Inference-Header-Content-Length", "3")));
}

TEST_F(LoggedHandlerTest, TheModeSaysWhichOfThem) {
  Start(LogMode::kRequest);
  Ask();
  inner_->reply.Send(Answer(200, "out"));
  EXPECT_THAT(End(), ElementsAre("request 7 in"));
  written_.payloads.clear();
  Start(LogMode::kResponse);
  Ask();
  inner_->reply.Send(Answer(200, "out"));
  EXPECT_THAT(End(), ElementsAre("response 7 out"));
}

TEST_F(LoggedHandlerTest, OtherRequestsAreNotLogged) {
  Start();
  Ask("/v2/health/ready");
  inner_->reply.Send(Answer(200, "out"));
  EXPECT_EQ(exchange_.responses.size(), 1u);
  EXPECT_THAT(End(), IsEmpty());
}

TEST_F(LoggedHandlerTest, AFailureIsNotLogged) {
  Start();
  Ask();
  inner_->reply.Send(Answer(500, "no"));
  EXPECT_EQ(exchange_.responses[0].status, 500);
  EXPECT_THAT(End(), ElementsAre("request 7 in"));
}

TEST_F(LoggedHandlerTest, AFailureOfGrpcIsNotLogged) {
  Start(LogMode::kResponse);
  Ask();
  net::HttpResponse response = Answer(200, "");
  response.trailers = {{"grpc-status", "3"}};
  inner_->reply.Send(std::move(response));
  EXPECT_THAT(End(), IsEmpty());
}

TEST_F(LoggedHandlerTest, AResponseInPiecesIsLoggedWhole) {
  Start(LogMode::kResponse);
  Ask();
  inner_->reply.Start(Answer(200, "a"));
  inner_->reply.Write(base::BufferSlice(base::Buffer::CopyOf("b")));
  inner_->reply.Write(base::BufferSlice(base::Buffer::CopyOf("c")));
  inner_->reply.End();
  EXPECT_EQ(net::BodyText(exchange_.responses[0]), "abc");
  EXPECT_THAT(End(), ElementsAre("response 7 abc"));
}

TEST_F(LoggedHandlerTest, WhatIsTooLongForTheLogPassesWithout) {
  Start();
  const std::string large(101, 'x');
  Ask("/v1/models/m:predict", large);
  inner_->reply.Start(Answer(200, large));
  inner_->reply.Write(base::BufferSlice(base::Buffer::CopyOf("b")));
  inner_->reply.End();
  EXPECT_EQ(net::BodyText(exchange_.responses[0]), large + "b");
  EXPECT_THAT(End(), IsEmpty());
  EXPECT_EQ(registry_.CounterTotal("inferd_payload_log_dropped_total"), 2u);
}

TEST_F(LoggedHandlerTest, AResponseThatBreaksOffIsNotLogged) {
  Start(LogMode::kResponse);
  Ask();
  inner_->reply.Start(Answer(200, "a"));
  inner_->reply = net::Reply();
  EXPECT_FALSE(exchange_.in_pieces);
  EXPECT_THAT(End(), IsEmpty());
}

TEST_F(LoggedHandlerTest, AHandlerIsToldOfAPeerThatHasGone) {
  Start();
  Ask();
  bool told = false;
  inner_->reply.OnPeerGone([&] { told = true; });
  exchange_.on_peer_gone();
  EXPECT_TRUE(told);
  exchange_.Close();
  inner_->reply.Send(Answer(200, "out"));
  EXPECT_THAT(exchange_.responses, IsEmpty());
}

TEST_F(LoggedHandlerTest, AReplyThatIsClaimedTellsItsHandler) {
  Start();
  Ask();
  bool told = false;
  inner_->reply.OnPeerGone([&] { told = true; });
  net::Reply claimed = inner_->reply.key().Claim();
  loop_.RunAll();
  EXPECT_TRUE(told);
  inner_->reply.Send(Answer(200, "late"));
  EXPECT_THAT(exchange_.responses, IsEmpty());
  claimed.Send(Answer(504, "too late"));
  EXPECT_EQ(exchange_.responses.at(0).status, 504);
  EXPECT_THAT(End(), ElementsAre("request 7 in"));
}

TEST_F(LoggedHandlerTest, ABodyThatArrivesInPiecesIsLoggedWhole) {
  Start();
  inner_->streams = true;
  const net::HttpRequest asked = Request("/v1/models/m:predict", "");
  net::BodyPlan plan = handler_->OnHead(asked.head);
  ASSERT_NE(plan.sink, nullptr);
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); };
  plan.sink->OnBody(bytes("a"));
  plan.sink->Open(Request("/v1/models/m:predict", ""), exchange_.Open());
  plan.sink->OnBody(bytes("b"));
  plan.sink->OnBodyEnd();
  plan.sink->Proceed();
  EXPECT_EQ(inner_->body, "ab");
  net::HttpResponse response = Answer(200, "out");
  response.trailers = {{"grpc-status", "0"}};
  inner_->reply.Send(std::move(response));
  EXPECT_THAT(End(), ElementsAre("request 7 ab", "response 7 out"));
}

}  // namespace
}  // namespace inferd::payloadlog
