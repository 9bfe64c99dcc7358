#include "server/http/cors_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace inferd::server {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr std::string_view kPage = "https://app.example.org";

// Refuses every request, like a handler that requires a token.
class RefusingHandler final : public net::HttpHandler {
 public:
  explicit RefusingHandler(std::string& log) : log_(log) {}
  net::BodyPlan OnHead(const net::RequestHead&) override {
    log_ += "head ";
    net::BodyPlan plan;
    plan.refuse = net::HttpResponse::Text(401, "", "");
    return plan;
  }
  void OnRequest(net::HttpRequest, net::Reply) override { log_ += "request "; }
  void OnDrain() override { log_ += "drain "; }

 private:
  std::string& log_;
};

class CorsHandlerTest : public ::testing::Test {
 protected:
  net::BodyPlan Ask(net::Method method, std::vector<std::pair<std::string_view, std::string_view>> headers) {
    auto handler = MakeCorsHandler(origins_, options_, *logger_, std::make_unique<RefusingHandler>(log_));
    net::RequestHead head;
    head.method = method;
    head.target = "/v2/models/m/infer";
    head.headers.assign(headers.begin(), headers.end());
    return handler->OnHead(head);
  }
  net::BodyPlan Preflight(std::string_view origin) {
    return Ask(net::Method::kOptions, {{"Origin", origin},
                                       {"Access-Control-Request-Method", "POST"},
                                       {"Access-Control-Request-Headers", "authorization,x-thing"}});
  }

  std::vector<std::string> origins_ = {"http://localhost:3000", std::string(kPage)};
  rest::Options options_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::string log_;
};

TEST_F(CorsHandlerTest, APreflightIsAnsweredWithoutAskingTheHandler) {
  const net::BodyPlan plan = Preflight(kPage);
  ASSERT_TRUE(plan.refuse.has_value());
  EXPECT_EQ(plan.refuse->status, 204);
  EXPECT_THAT(plan.refuse->headers, ElementsAre(Pair("Access-Control-Allow-Origin", kPage), Pair("Vary", "Origin"),
                                                Pair("Access-Control-Allow-Methods", "GET, POST"),
                                                Pair("Access-Control-Allow-Headers", "authorization,x-thing"),
                                                Pair("Access-Control-Max-Age", "86400")));
  EXPECT_EQ(log_, "");
}

TEST_F(CorsHandlerTest, ARequestIsTheHandlersToAdmitAndItsAnswerMayBeRead) {
  const net::BodyPlan plan = Ask(net::Method::kPost, {{"Origin", kPage}});
  ASSERT_TRUE(plan.refuse.has_value());
  EXPECT_EQ(plan.refuse->status, 401);
  ASSERT_NE(plan.answer_headers, nullptr);
  EXPECT_THAT(*plan.answer_headers, ElementsAre(Pair("Access-Control-Allow-Origin", kPage), Pair("Vary", "Origin"),
                                                Pair("Access-Control-Expose-Headers",
                                                     "Inference-Header-Content-Length, Retry-After, X-Request-Id")));
  EXPECT_EQ(log_, "head ");
}

TEST_F(CorsHandlerTest, OtherOriginsAndOtherRequestsAreAsWithoutIt) {
  for (const char* origin : {"https://evil.example.org", "null", "HTTPS://APP.EXAMPLE.ORG", ""}) {
    for (const net::BodyPlan& plan : {Preflight(origin), Ask(net::Method::kPost, {{"Origin", origin}})}) {
      EXPECT_EQ(plan.refuse->status, 401) << origin;
      EXPECT_THAT(plan.refuse->headers, IsEmpty());
      EXPECT_THAT(*plan.answer_headers, ElementsAre(Pair("Vary", "Origin")));
    }
  }
  EXPECT_THAT(*Ask(net::Method::kGet, {}).answer_headers, ElementsAre(Pair("Vary", "Origin")));
  EXPECT_EQ(Ask(net::Method::kOptions, {{"Origin", kPage}}).refuse->status, 401) << "no preflight";
}

TEST_F(CorsHandlerTest, AnyOriginMayBeAllowed) {
  origins_.emplace_back("*");
  EXPECT_THAT(Preflight("https://evil.example.org").refuse->headers,
              Contains(Pair("Access-Control-Allow-Origin", "*")));
  const net::BodyPlan plan = Ask(net::Method::kGet, {{"Origin", "null"}});
  EXPECT_THAT(*plan.answer_headers, Contains(Pair("Access-Control-Allow-Origin", "*")));
  EXPECT_THAT(*plan.answer_headers, Not(Contains(Pair("Vary", "Origin"))));
  EXPECT_EQ(Ask(net::Method::kGet, {}).answer_headers, nullptr);
}

TEST_F(CorsHandlerTest, TheRestGoesToTheHandler) {
  auto handler = MakeCorsHandler(origins_, options_, *logger_, std::make_unique<RefusingHandler>(log_));
  handler->OnRequest({}, {});
  handler->OnDrain();
  EXPECT_EQ(log_, "request drain ");
}

}  // namespace
}  // namespace inferd::server
