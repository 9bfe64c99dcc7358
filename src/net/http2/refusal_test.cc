#include "net/http2/session_fixture.h"

// Requests that the transport answers itself, or with "100 Continue".

namespace inferd::net::http2 {
namespace {

using RefusalTest = SessionTest;
using Fields = FakePeer::Fields;

TEST_F(RefusalTest, TheHandlerMayRefuseAHead) {
  handler().plan = [](const RequestHead&) {
    BodyPlan plan;
    plan.refuse = HttpResponse::Text(405, "", "no");
    return plan;
  };
  const int32_t id = peer_.Request("POST", "/p", {}, "first", false);
  Exchange();
  EXPECT_EQ(peer_[id].status(), 405);
  EXPECT_TRUE(peer_[id].closed);  // reset without error: the rest need not be sent
  EXPECT_EQ(peer_[id].error_code, 0u);
  EXPECT_EQ(handler().requests, 0u);
}

TEST_F(RefusalTest, AnswersExpectContinue) {
  const int32_t id = peer_.Request("POST", "/p", {{"expect", "100-continue"}}, "", false);
  Exchange();
  EXPECT_EQ(peer_[id].status(), 100);
  peer_.More(id, "body", true);
  Exchange();
  EXPECT_EQ(peer_[id].statuses, (std::vector<int>{100, 200}));
}

TEST_F(RefusalTest, BodiesBeyondTheLimitAre413) {
  host_.limits_value.body_bytes_max = 1000;
  const int32_t announced = peer_.Request("POST", "/p", {{"content-length", "1001"}}, std::string(1001, 'x'));
  const int32_t grown = peer_.Request("POST", "/p", {}, std::string(1001, 'x'));
  const int32_t fits = peer_.Request("POST", "/p", {}, std::string(1000, 'x'));
  Exchange();
  EXPECT_EQ(peer_[announced].status(), 413);
  EXPECT_EQ(peer_[grown].status(), 413);
  EXPECT_EQ(peer_[fits].status(), 200);
  EXPECT_EQ(handler().requests, 1u);
}

TEST_F(RefusalTest, AnEmptyBudgetIs503) {
  FakeSessionHost poor(100'000);
  const auto session = MakeSession(poor);
  FakePeer peer;
  const int32_t id = peer.Request("POST", "/p", {}, std::string(300'000, 'x'));
  peer.Exchange(*session, poor);
  EXPECT_EQ(peer[id].status(), 503);
  EXPECT_EQ(peer[id].headers["retry-after"], "1");
  EXPECT_EQ(poor.budget->used(), 0u);
}

TEST_F(RefusalTest, HeadersBeyondTheLimitsAre431And414) {
  host_.limits_value.header_bytes_max = 4000;
  host_.limits_value.header_count_max = 30;
  host_.limits_value.target_bytes_max = 100;
  const int32_t large = peer_.Request("GET", "/p", {{"x", std::string(4000, 'y')}});
  const int32_t many = peer_.Request("GET", "/p", Fields(30, {"x", "y"}));
  const int32_t path = peer_.Request("GET", "/" + std::string(100, 'p'));
  const int32_t fits = peer_.Request("GET", "/" + std::string(99, 'p'));
  Exchange();
  EXPECT_EQ(peer_[large].status(), 431);
  EXPECT_EQ(peer_[many].status(), 431);
  EXPECT_EQ(peer_[path].status(), 414);
  EXPECT_EQ(peer_[fits].status(), 200);
  EXPECT_TRUE(peer_[large].body.starts_with("{\"error\":\"")) << peer_[large].body;
}

// RFC 9113, 8.3.1. The peer's :authority is "h:1".
TEST_F(RefusalTest, AHostBesideTheAuthorityIsTheSame) {
  handler().answer = [](HttpRequest request, Reply reply) {
    std::string hosts;
    for (const auto& [name, value] : request.head.headers) hosts += name == "host" ? std::string(value) + ";" : "";
    reply.Send(HttpResponse::Text(200, "", hosts));
  };
  for (const char* host : {"h:1", "H:1", "h.:1"}) {
    const int32_t id = peer_.Request("GET", "/p", {{"host", host}});
    Exchange();
    EXPECT_EQ(peer_[id].status(), 200) << host;
    EXPECT_EQ(peer_[id].body, "h:1;") << host;
  }
  for (const char* host : {"h", "h:2", "evil:1", "h:1.evil"}) {
    const int32_t id = peer_.Request("GET", "/p", {{"host", host}});
    Exchange();
    EXPECT_EQ(peer_[id].status(), 400) << host;
  }
}

TEST_F(RefusalTest, SpacesAroundAValueAreNotPartOfIt) {
  handler().answer = [](HttpRequest request, Reply reply) {
    reply.Send(HttpResponse::Text(200, "",
                                  "<" + std::string(request.head.Find("x").value_or("none")) + "><" +
                                      std::string(request.head.Find("empty").value_or("none")) + ">"));
  };
  const int32_t id = peer_.Request("GET", "/p", {{"x", " \ta b \t "}, {"empty", "  "}});
  Exchange();
  EXPECT_EQ(peer_[id].status(), 200);
  EXPECT_EQ(peer_[id].body, "<a b><>");
}

TEST_F(RefusalTest, BadPathsAre400) {
  const int32_t escape = peer_.Request("GET", "/a%zz");
  const int32_t dots = peer_.Request("GET", "/a/../b");
  Exchange();
  EXPECT_EQ(peer_[escape].status(), 400);
  EXPECT_EQ(peer_[dots].status(), 400);
}

TEST_F(RefusalTest, RefusesStreamsBeyondTheLimit) {
  FakeSessionHost host;
  host.limits_value.http2_streams_max = 2;
  host.fake_handler.answer = [this](HttpRequest, Reply reply) { held_.push_back(std::move(reply)); };
  const auto session = MakeSession(host);
  FakePeer peer;
  for (int i = 0; i < 3; ++i) peer.Request("GET", "/p");  // before it has seen our SETTINGS
  peer.Exchange(*session, host);
  EXPECT_EQ(held_.size(), 2u);
  held_.clear();
}

}  // namespace
}  // namespace inferd::net::http2
