#include "kserve/cluster/objects/cluster_view.h"

#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::StatusJson;

constexpr const char* kGateway = "/services/inferd-gateway";
constexpr const char* kDeployments = "/apis/apps/v1/deployments";
const std::string kDenied = Answer(403, StatusJson(403, "Forbidden", "no"));
const std::string kNoGateway = Answer(404, kubernetes::AbsentJson("inferd-gateway"));

// An API server without objects and without optional APIs. A test can set the answers for paths.
class PathApi final {
 public:
  void Set(const std::string& part, std::string answer) {
    const std::lock_guard lock(mutex_);
    answers_.insert_or_assign(part, std::move(answer));
  }
  std::string AnswerTo(const std::string& request) {
    const std::string line = request.substr(0, request.find(" HTTP/"));
    if (line.find("watch=") != std::string::npos) return "";
    const std::lock_guard lock(mutex_);
    for (const auto& [part, answer] : answers_) {
      if (line.find(part) != std::string::npos) return answer;
    }
    const bool is_list = line.find('?') != std::string::npos;
    return is_list ? Answer(200, kubernetes::ListJson(1, {})) : Answer(404, "404 page not found");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
};

class ClusterViewTest : public testing::Test {
 protected:
  ClusterViewTest() { api_.Set(kGateway, kNoGateway); }
  ~ClusterViewTest() override { view_.reset(); }

  void Begin() {
    view_ = std::make_unique<ClusterView>(client_, clock_, ClusterView::Options{.controller_namespace = "kserve"},
                                          ClusterView::Changed{.on_service = [](const auto&) {}, .on_all = [] {}},
                                          *logger_);
  }
  // Repeats discovery until nothing waits, at most that often and at that interval. Returns true if nothing waits.
  bool Looks(int times, int64_t seconds = 60) {
    for (int i = 0; i < times; ++i) {
      view_->Discover({});
      clock_.AdvanceMs(seconds * 1'000);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (!IsListed() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    SyncReport report;
    view_->Report(report);
    return !report.waits;
  }
  // True when the Deployments are listed: the last of the kinds that give evidence about features.
  bool IsListed() const { return view_->ObjectsOf({"m", "iris"}).size() == objects_; }

  base::FakeClock clock_;
  const base::SystemClock system_clock_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  PathApi api_;
  net::ScriptedServer server_{[this](const std::string& request) { return api_.AnswerTo(request); }};
  kubernetes::Client client_{
      {.server = server_.url()}, {.requests_per_second = 1000, .retry = {.attempts = 1}}, system_clock_};
  size_t objects_ = 0;
  std::unique_ptr<ClusterView> view_;
};

TEST_F(ClusterViewTest, AtTheStartItWaitsForWhatCannotBeLookedUp) {
  api_.Set(kGateway, kDenied);
  Begin();
  EXPECT_FALSE(Looks(4));
  EXPECT_EQ(view_->doubts().size(), 1U);
  api_.Set(kGateway, Answer(200, R"({"metadata":{"name":"inferd-gateway"}})"));
  Looks(1);
  EXPECT_NE(view_->features().gateway_host(), "");
  // The same answer changes nothing later.
  api_.Set(kGateway, kDenied);
  Looks(3);
  EXPECT_NE(view_->features().gateway_host(), "");
}

// The gateway's Service of a canary is not found, but its revisions prove that the gateway exists.
TEST_F(ClusterViewTest, RevisionsContradictThatThereIsNoGateway) {
  api_.Set(kDeployments,
           Answer(200, kubernetes::ListJson(
                           1, {R"({"metadata":{"name":"iris-predictor-default-00001","namespace":"m","labels":{)"
                               R"("serving.kserve.io/inferenceservice":"iris",)"
                               R"("serving.knative.dev/configuration":"iris-predictor-default",)"
                               R"("serving.knative.dev/configurationGeneration":"1"},"ownerReferences":[{)"
                               R"("apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","name":"iris",)"
                               R"("uid":"u1","controller":true}]}})"})));
  objects_ = 1;
  Begin();
  Looks(4);
  EXPECT_EQ(view_->features().gateway_host(), "inferd-gateway.kserve.svc.cluster.local");
  EXPECT_EQ(view_->doubts().size(), 1U);
}

TEST_F(ClusterViewTest, DeploymentsOfKnativeContradictThatItIsNotThere) {
  api_.Set(kDeployments,
           Answer(200, kubernetes::ListJson(
                           1, {R"({"metadata":{"name":"iris-predictor-default-00001-deployment","namespace":"m",)"
                               R"("labels":{"serving.kserve.io/inferenceservice":"iris"},"ownerReferences":[{)"
                               R"("apiVersion":"serving.knative.dev/v1","kind":"Revision","name":"r","uid":"r1",)"
                               R"("controller":true}]}})"})));
  api_.Set("/configmaps/config-features", Answer(200, R"({"metadata":{"name":"config-features"}})"));
  objects_ = 1;
  Begin();
  Looks(4);
  EXPECT_TRUE(view_->features().Has(KnativeServices()));
  EXPECT_EQ(view_->features().gateway_host(), "");
}

}  // namespace
}  // namespace inferd::cluster
