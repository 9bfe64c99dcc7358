#include "kserve/cluster/admission/webhook_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>

#include "kserve/cluster/admission/admission_review.h"
#include "net/loop_group.h"
#include "net/server.h"
#include "tests/support/raw_client.h"

namespace inferd::cluster {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kReviewPath = "/validate-serving-kserve-io-v1beta1-inferenceservice";
constexpr std::string_view kReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","kind":{"group":)"
    R"("serving.kserve.io","version":"v1beta1","kind":"InferenceService"},"operation":"CREATE","namespace":"a",)"
    R"("object":{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"x"},)"
    R"("spec":{"predictor":{"sklearn":{"storageUri":"gs://m"}}}}}})";

constexpr std::string_view kPodReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u2","kind":{"group":"",)"
    R"("version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"a","object":{"apiVersion":"v1","kind":"Pod",)"
    R"("metadata":{"labels":{"serving.kserve.io/inferenceservice":"x"},"annotations":{)"
    R"("internal.serving.kserve.io/storage-initializer-sourceuri":"s3://b/m"}},)"
    R"("spec":{"containers":[{"name":"kserve-container","image":"i"}]}}}})";

class WebhookHandlerTest : public ::testing::Test {
 protected:
  void Listen() {
    net::ListenerOptions listener;
    listener.name = "webhooks";
    listener.address = "127.0.0.1";
    listener.handlers = [this](net::Loop& loop) { return MakeWebhookHandler(work_, loop); };
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

  // Sends a review of a pod whose credentials must be looked up.
  std::string AskOfPod() { return Ask("POST /mutate-pods", kPodReview); }

  // A lookup that ends with the review's time limit, or when the test ends it.
  kubernetes::ApiResult<kubernetes::ObjectPointer> AwaitEnd(const std::stop_token& stop) {
    std::counting_semaphore<2> ended(0);
    const auto end = [&ended] { ended.release(); };
    const std::stop_callback on_stop(stop, end);
    const std::stop_callback on_release(release_.get_token(), end);
    looking_up_.fetch_add(1);
    looking_up_.notify_all();
    ended.acquire();
    return std::unexpected(kubernetes::ApiError{.reason = "Gone", .message = "given up"});
  }

  std::atomic<int> looking_up_{0};
  std::stop_source release_;
  ReviewContext context_{.objects = {.config = [] { return model::InferenceServiceConfig(); },
                                     .runtimes = [] { return std::vector<model::ServingRuntime>(); }},
                         .pods = {.configuration = [] { return std::make_shared<const Configuration>(); },
                                  .find = [this](const std::string&, const kubernetes::ObjectName&,
                                                 const std::stop_token& stop) { return AwaitEnd(stop); }}};
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  net::LoopGroup loops_{1};
  base::ThreadPool lookups_{"lookups", 1};
  WebhookWork work_{.context = context_,
                    .lookups = lookups_,
                    .lookups_max = std::chrono::milliseconds(500),
                    .lookups_waiting_max = 1};
  net::Server server_{loops_, net::Limits(), nullptr, *logger_};
};

TEST_F(WebhookHandlerTest, AnswersReviewsWhateverTheQuery) {
  Listen();
  for (const char* query : {"", "?timeout=10s", "?"}) {
    const std::string answer = Ask("POST " + std::string(kReviewPath) + query, kReview);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr(R"("response":{"uid":"u1","allowed":true})"));
  }
}

TEST_F(WebhookHandlerTest, WhatIsLookedUpHasATimeLimitAndKeepsNoOtherReviewWaiting) {
  Listen();
  std::string answer;
  std::thread first([&] { answer = AskOfPod(); });
  looking_up_.wait(0);
  EXPECT_THAT(Ask("POST " + std::string(kReviewPath), kReview), HasSubstr(R"("uid":"u1","allowed":true)"))
      << "on the same loop";
  first.join();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr(R"("uid":"u2","allowed":false)"));
  EXPECT_THAT(answer,
              HasSubstr(R"(spec.serviceAccountName: ServiceAccount \"default\" of the namespace \"a\" cannot be )"
                        "read: the API server did not answer in time"));
}

TEST_F(WebhookHandlerTest, ReviewsThatWaitForThePoolAreLimited) {
  work_.lookups_max = std::chrono::hours(1);
  Listen();
  std::thread first([&] { EXPECT_THAT(AskOfPod(), StartsWith("HTTP/1.1 200")); });
  looking_up_.wait(0);
  std::thread second([&] { EXPECT_THAT(AskOfPod(), StartsWith("HTTP/1.1 200")); });
  while (lookups_.queued() == 0) std::this_thread::yield();
  const std::string refused = AskOfPod();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr(R"("kind":"Status")"));
  release_.request_stop();
  first.join();
  second.join();
}

TEST_F(WebhookHandlerTest, WhatIsNoReviewIsAStatus) {
  Listen();
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
}  // namespace inferd::cluster
