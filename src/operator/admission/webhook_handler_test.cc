#include "operator/admission/webhook_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "net/loop_group.h"
#include "net/server.h"
#include "operator/admission/admission_review.h"
#include "tests/support/raw_client.h"

namespace inferd::operators {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kReviewPath = "/validate-serving-kserve-io-v1beta1-inferenceservice";
constexpr std::string_view kReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","kind":{"group":)"
    R"("serving.kserve.io","version":"v1beta1","kind":"InferenceService"},"operation":"CREATE","namespace":"a",)"
    R"("object":{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"x"},)"
    R"("spec":{"predictor":{"sklearn":{"storageUri":"gs://m"}}}}}})";

class WebhookHandlerTest : public ::testing::Test {
 protected:
  WebhookHandlerTest() {
    net::ListenerOptions listener;
    listener.name = "webhooks";
    listener.address = "127.0.0.1";
    listener.handlers = [this](net::Loop&) { return MakeWebhookHandler(context_); };
    EXPECT_TRUE(server_.Listen(std::move(listener)).ok());
  }
  ~WebhookHandlerTest() override {
    server_.Stop();
    loops_.Stop();
  }

  std::string Ask(std::string_view line, std::string_view body, size_t length) {
    support::RawClient client(server_.port("webhooks"));
    client.Send(std::string(line) + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
                std::to_string(length) + "\r\n\r\n" + std::string(body));
    return client.ReadUntil();
  }
  std::string Ask(std::string_view line, std::string_view body = {}) { return Ask(line, body, body.size()); }

  controlplane::AdmissionContext context_{.config = [] { return controlplane::InferenceServiceConfig(); },
                                          .runtimes = [] { return std::vector<controlplane::ServingRuntime>(); }};
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  net::LoopGroup loops_{1};
  net::Server server_{loops_, net::Limits(), nullptr, *logger_};
};

TEST_F(WebhookHandlerTest, AnswersReviewsWhateverTheQuery) {
  for (const char* query : {"", "?timeout=10s", "?"}) {
    const std::string answer = Ask("POST " + std::string(kReviewPath) + query, kReview);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr(R"("response":{"uid":"u1","allowed":true})"));
  }
}

TEST_F(WebhookHandlerTest, WhatIsNoReviewIsAStatus) {
  EXPECT_THAT(Ask("GET " + std::string(kReviewPath)), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Ask("POST /other", kReview), StartsWith("HTTP/1.1 404"));
  const std::string broken = Ask("POST " + std::string(kReviewPath), "{");
  EXPECT_THAT(broken, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(broken, HasSubstr(R"("kind":"Status")"));
  const std::string large = Ask("POST " + std::string(kReviewPath), "", kReviewBytesMax + 1);
  EXPECT_THAT(large, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(large, HasSubstr(R"("kind":"Status")"));
}

}  // namespace
}  // namespace inferd::operators
