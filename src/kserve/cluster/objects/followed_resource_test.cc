#include "kserve/cluster/objects/followed_resource.h"

#include <gmock/gmock.h>

#include <chrono>

#include "kserve/cluster/becomes_fixture.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

// An API server without objects. It refuses to list those of one namespace while an error status is set.
class RefusingApi final {
 public:
  std::string AnswerTo(const std::string& request) {
    if (request.find("watch=") != std::string::npos) return "";
    const int code = code_.load();
    if (code != 200 && request.find("/namespaces/b/") != std::string::npos) {
      return Answer(code, kubernetes::StatusJson(code, code == 404 ? "NotFound" : "Forbidden", "no"));
    }
    return Answer(200, kubernetes::ListJson(1, {}));
  }
  void Refuse(int code) { code_ = code; }

 private:
  std::atomic<int> code_{200};
};

class FollowedResourceTest : public testing::Test {
 protected:
  void Follow(const kubernetes::Resource& resource, std::vector<std::string> namespaces) {
    followed_ = std::make_unique<FollowedResource>(
        client_, Following{.resource = resource, .namespaces = std::move(namespaces)}, [](const auto&) {}, *logger_);
  }
  SyncReport Report() const {
    SyncReport report;
    followed_->Report(report);
    return report;
  }
  template <typename Condition>
  static bool BecomesSoon(Condition condition) {
    return Becomes(condition, std::chrono::seconds(30));
  }

  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  RefusingApi api_;
  net::ScriptedServer server_{[this](const std::string& request) { return api_.AnswerTo(request); }};
  const base::SystemClock clock_;
  kubernetes::Client client_{{.server = server_.url()}, {.retry = {.attempts = 1}}, clock_};
  std::unique_ptr<FollowedResource> followed_;
};

TEST_F(FollowedResourceTest, OneOfSeveralNamespacesIsNoReasonToWait) {
  for (const int code : {403, 404, 500}) {
    api_.Refuse(code);
    Follow(Deployments(), {"a", "b"});
    EXPECT_TRUE(BecomesSoon([&] { return !Report().waits; })) << code;
    EXPECT_THAT(Report().unreadable, ElementsAre(Pair("b", StartsWith("deployments cannot be listed: ")))) << code;
    api_.Refuse(200);
    EXPECT_TRUE(BecomesSoon([&] { return followed_->synced(); })) << code;
  }
}

TEST_F(FollowedResourceTest, TheOnlyNamespaceIsWaitedFor) {
  for (const int code : {403, 404}) {
    api_.Refuse(code);
    Follow(Deployments(), {"b"});
    EXPECT_TRUE(Report().waits);
    api_.Refuse(200);
    EXPECT_TRUE(BecomesSoon([&] { return followed_->synced(); })) << code;
    EXPECT_FALSE(Report().waits);
  }
}

TEST_F(FollowedResourceTest, OnlyAKindThatAClusterMayLackHasNoneIfItIsNotFound) {
  api_.Refuse(404);
  Follow(TrainedModels(), {"b"});
  EXPECT_TRUE(BecomesSoon([&] { return followed_->synced(); }));
  EXPECT_THAT(Report().unreadable, IsEmpty());
  Follow(KnativeServices(), {"b"});
  EXPECT_TRUE(BecomesSoon([&] { return followed_->synced(); }));
}

}  // namespace
}  // namespace inferd::cluster
