#include "kserve/cluster/objects/cluster_features.h"

#include <gmock/gmock.h>

#include <optional>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::StatusJson;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kNo404 = Answer(404, "404 page not found");  // of an API, in an API server's form

std::string Lists(const std::string& plural) {
  return Answer(200, R"({"kind":"APIResourceList","resources":[{"name":")" + plural + R"("}]})");
}

std::string Own404(const std::string& name) { return Answer(404, kubernetes::AbsentJson(name)); }
std::string InitContainers(const std::string& value) {
  return Answer(
      200, R"({"metadata":{"name":"config-features"},"data":{"kubernetes.podspec-init-containers":")" + value + "\"}}");
}

// The answers of a cluster with all features.
const std::vector<std::string> kAll = {Lists("services"), Lists("virtualservices"), Lists("httproutes"),
                                       Answer(200, R"({"metadata":{"name":"inferd-gateway"}})"),
                                       InitContainers("enabled")};
const std::vector<std::string> kNone = {kNo404, kNo404, kNo404, Own404("inferd-gateway")};

class ClusterFeaturesTest : public testing::Test {
 protected:
  // Sets the API server's answers for consecutive lookups.
  void Answers(const std::vector<std::vector<std::string>>& looks) {
    std::vector<std::string> answers;
    for (const auto& look : looks) answers.insert(answers.end(), look.begin(), look.end());
    api_.emplace(std::move(answers));
    client_.emplace(*api_, kubernetes::SenderOptions{.retry = {.attempts = 1}});
    features_.emplace(**client_, clock_, "kserve", [this](const kubernetes::Resource*) { return evidence_; }, *logger_);
  }
  // Returns true if the known state changed.
  bool LookAfter(int64_t seconds) {
    clock_.AdvanceMs(seconds * 1'000);
    return features_->Look({});
  }
  std::string Known() const {
    if (!features_->known()) return "unknown";
    std::string text;
    if (features_->Has(KnativeServices())) text += "knative ";
    if (features_->Has(VirtualServices())) text += "istio ";
    if (features_->Has(HttpRoutes())) text += "routes ";
    if (!features_->gateway_host().empty()) text += "gateway ";
    if (features_->revisions_take_init_containers()) text += "init";
    return text;
  }

  base::FakeClock clock_;
  Evidence evidence_ = Evidence::kNone;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::optional<kubernetes::ScriptedApi> api_;
  std::optional<kubernetes::ScriptedClient> client_;
  std::optional<ClusterFeatures> features_;
};

constexpr const char* kKnowsAll = "knative istio routes gateway init";

TEST_F(ClusterFeaturesTest, EachIsLookedForByItself) {
  Answers({kAll});
  EXPECT_TRUE(LookAfter(0));
  EXPECT_EQ(Known(), kKnowsAll);
  EXPECT_EQ(features_->gateway_host(), "inferd-gateway.kserve.svc.cluster.local");
  EXPECT_TRUE(features_->Has(Deployments())) << "each cluster has them";
  EXPECT_THAT(api_->lines(), ElementsAre("GET /apis/serving.knative.dev/v1", "GET /apis/networking.istio.io/v1alpha3",
                                         "GET /apis/gateway.networking.k8s.io/v1",
                                         "GET /api/v1/namespaces/kserve/services/inferd-gateway",
                                         "GET /api/v1/namespaces/knative-serving/configmaps/config-features"));
}

TEST_F(ClusterFeaturesTest, AtTheStartTwoLooksFindThatThereIsNone) {
  Answers({kNone, kNone, kNone});
  EXPECT_FALSE(LookAfter(0));
  EXPECT_EQ(Known(), "unknown");
  EXPECT_THAT(features_->doubts(), IsEmpty());
  EXPECT_FALSE(LookAfter(1));
  EXPECT_TRUE(LookAfter(1));
  EXPECT_EQ(Known(), "");
}

TEST_F(ClusterFeaturesTest, AnApiWithoutTheKindIsAsGoodAsNone) {
  std::vector<std::string> others = kNone;
  others[1] = Lists("gateways");
  Answers({others, others});
  LookAfter(0);
  LookAfter(2);
  EXPECT_EQ(Known(), "");
}

// Any answer except the thing's own 404 keeps the state of each of the five lookups, however often it comes.
TEST_F(ClusterFeaturesTest, AFailedLookKeepsWhatWasKnown) {
  const std::string no_details = Answer(404, StatusJson(404, "NotFound", "the server could not find the resource"));
  const std::vector<std::string> failures = {Answer(403, StatusJson(403, "Forbidden", "no")), Answer(500, "{}"),
                                             Answer(503, "busy"), Answer(429, "{}"), Answer(410, "{}")};
  for (size_t i = 0; i < kAll.size(); ++i) {
    std::vector<std::string> of_this = failures;
    // A 404 names its object. A proxy's 404, and one about a kind in the namespace, refer to something else.
    if (i >= 3) of_this.insert(of_this.end(), {no_details, kNo404, Answer(404, "<html>"), Own404("another")});
    for (const std::string& failure : of_this) {
      std::vector<std::string> failed = kAll;
      failed[i] = failure;
      Answers({kAll, failed, failed, failed, kAll});
      LookAfter(0);
      for (int look = 0; look < 3; ++look) {
        EXPECT_FALSE(LookAfter(60)) << i << failure;
        EXPECT_EQ(Known(), kKnowsAll) << i << failure;
        EXPECT_THAT(features_->doubts(), SizeIs(1)) << i << failure;
      }
      EXPECT_FALSE(LookAfter(60));
      EXPECT_THAT(features_->doubts(), IsEmpty());
    }
  }
}

TEST_F(ClusterFeaturesTest, AtTheStartAFailedLookIsWaitedFor) {
  for (size_t i = 0; i < kNone.size(); ++i) {
    std::vector<std::string> failed = kNone;
    failed[i] = Answer(403, StatusJson(403, "Forbidden", "no"));
    Answers({failed, failed, failed, kNone, kNone});
    for (int look = 0; look < 3; ++look) LookAfter(60);
    EXPECT_EQ(Known(), "unknown") << i;
    ASSERT_THAT(features_->doubts(), SizeIs(1)) << i;
    EXPECT_THAT(features_->doubts().front().text, HasSubstr("the controller waits"));
    LookAfter(60);
    LookAfter(60);
    EXPECT_EQ(Known(), "") << i;
  }
}

TEST_F(ClusterFeaturesTest, OneThatWasThereGoesByTwoLooks) {
  for (size_t i = 0; i < kAll.size(); ++i) {
    std::vector<std::string> gone = kAll;
    gone[i] = i < 3 ? kNo404 : Own404(i == 3 ? "inferd-gateway" : "config-features");
    Answers({kAll, gone, kAll, gone, gone});
    LookAfter(0);
    EXPECT_FALSE(LookAfter(60)) << i;
    EXPECT_EQ(Known(), kKnowsAll) << i << ": one look";
    EXPECT_FALSE(LookAfter(60)) << i;
    EXPECT_FALSE(LookAfter(60)) << i;
    EXPECT_EQ(Known(), kKnowsAll) << i << ": one look, again";
    EXPECT_TRUE(LookAfter(60)) << i;
    EXPECT_NE(Known(), kKnowsAll) << i;
    // Objects that need it are contradicting evidence.
    evidence_ = Evidence::kContradicting;
    Answers({kAll, gone, gone, gone});
    for (int look = 0; look < 4; ++look) LookAfter(60);
    EXPECT_EQ(Known(), kKnowsAll) << i;
    EXPECT_THAT(features_->doubts(), SizeIs(1)) << i;
    evidence_ = Evidence::kNone;
  }
}

TEST_F(ClusterFeaturesTest, WhatItSaysItselfCountsAtOnce) {
  std::vector<std::string> off = kAll;
  off[4] = InitContainers("disabled");
  Answers({kAll, off, kAll});
  LookAfter(0);
  EXPECT_TRUE(LookAfter(60));
  EXPECT_EQ(Known(), "knative istio routes gateway ");
  EXPECT_TRUE(LookAfter(60));
  EXPECT_EQ(Known(), kKnowsAll);
}

// Services that need Knative wait until it is known what its revisions accept.
TEST_F(ClusterFeaturesTest, KnativeIsThereWhenItsFeaturesAreKnown) {
  std::vector<std::string> unread = kAll;
  unread[4] = Answer(403, "{}");
  Answers({unread, kAll});
  LookAfter(0);
  EXPECT_EQ(Known(), "unknown");
  EXPECT_FALSE(features_->Has(KnativeServices()));
  LookAfter(60);
  EXPECT_EQ(Known(), kKnowsAll);
}

TEST_F(ClusterFeaturesTest, WithoutAnApiServerNothingChanges) {
  Answers({kAll});
  LookAfter(0);
  for (int look = 0; look < 3; ++look) EXPECT_FALSE(LookAfter(60));
  EXPECT_EQ(Known(), kKnowsAll);
  EXPECT_THAT(features_->doubts(), SizeIs(1)) << "one is asked for, and the others are not";
}

}  // namespace
}  // namespace inferd::cluster
