#include "kserve/cluster/objects/configuration.h"

#include <gmock/gmock.h>

#include "kserve/cluster/object_fixture.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using kubernetes::StatusJson;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const manifest::Value kGood =
    Yaml("{metadata: {name: inferenceservice-config}, data: {ingress: '{\"ingressDomain\": \"models.example\"}'}}");
const manifest::Value kBroken = Yaml("{metadata: {name: inferenceservice-config}, data: {ingress: '{no json'}}");
const manifest::Value kEmpty = Yaml("{metadata: {name: inferenceservice-config}, data: {}}");
const manifest::Value kNoData = Yaml("{metadata: {name: inferenceservice-config}}");
const std::string kGone = Answer(404, kubernetes::AbsentJson("inferenceservice-config-kept"));
const std::string kRefused = Answer(403, StatusJson(403, "Forbidden", "no"));
const std::string kKept = Answer(
    200, R"({"metadata":{"name":"inferenceservice-config-kept","annotations":{"serving.inferd.io/kept":"entries"}},)"
         R"("data":{"ingress":)"
         R"("{\"ingressDomain\": \"kept.example\"}"}})");
const std::string kKeptDefault = Answer(
    200, R"({"metadata":{"name":"inferenceservice-config-kept","annotations":{"serving.inferd.io/kept":"default"}}})");
constexpr const char* kReads = "GET /api/v1/namespaces/kserve/configmaps/inferenceservice-config-kept";

class ConfigurationKeeperTest : public testing::Test {
 protected:
  void Begin(std::vector<std::string> answers = {}) {
    api_.emplace(std::move(answers));
    client_.emplace(*api_, kubernetes::SenderOptions{.retry = {.attempts = 1}});
    keeper_.emplace(**client_, clock_, "kserve", *logger_);
  }
  // Returns the domain in the current configuration, or "?" if none is known, with the fault's reason.
  std::string Decides() const {
    const auto current = keeper_->current();
    std::string text = current->problems.empty() ? current->config.ingress.domain : "?";
    if (current->fault.has_value()) text += " " + current->fault->reason;
    return text;
  }

  base::FakeClock clock_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  std::optional<kubernetes::ScriptedApi> api_;
  std::optional<kubernetes::ScriptedClient> client_;
  std::optional<ConfigurationKeeper> keeper_;
};

TEST_F(ConfigurationKeeperTest, WhatCannotBeUsedChangesNothing) {
  const struct {
    const manifest::Value* config_map;
    const char* reason;
    const char* text;
  } cases[] = {{nullptr, "ConfigMissing", "the ConfigMap kserve/inferenceservice-config is missing"},
               {&kEmpty, "ConfigMissing", "has no entries"},
               {&kNoData, "ConfigMissing", "has no entries"},
               {&kBroken, "InvalidConfig", "data.ingress: unable to parse"}};
  for (const auto& one : cases) {
    Begin();
    keeper_->Take(&kGood);
    EXPECT_EQ(Decides(), "models.example");
    EXPECT_THAT(keeper_->doubts(), IsEmpty());
    keeper_->Take(one.config_map);
    EXPECT_EQ(Decides(), std::string("models.example ") + one.reason);
    EXPECT_THAT(keeper_->current()->fault->message, HasSubstr(one.text));
    EXPECT_THAT(keeper_->doubts(), SizeIs(1));
    EXPECT_TRUE(keeper_->Settle(true, {}));
    EXPECT_EQ(Decides(), std::string("models.example ") + one.reason);
    const manifest::Value other =
        Yaml("{metadata: {name: inferenceservice-config}, data: {ingress: '{\"ingressDomain\": \"other.example\"}'}}");
    keeper_->Take(&other);
    EXPECT_EQ(Decides(), "other.example");
    EXPECT_THAT(keeper_->doubts(), IsEmpty());
  }
}

TEST_F(ConfigurationKeeperTest, AtTheStartTheOneThatWasKeptCounts) {
  for (const manifest::Value* config_map : {static_cast<const manifest::Value*>(nullptr), &kEmpty, &kBroken}) {
    Begin({kKept});
    if (config_map != nullptr) keeper_->Take(config_map);
    EXPECT_TRUE(keeper_->Settle(true, {}));
    EXPECT_EQ(Decides(), std::string("kept.example ") + (config_map == &kBroken ? "InvalidConfig" : "ConfigMissing"));
    EXPECT_THAT(api_->lines(), ElementsAre(kReads));
    keeper_->Save({});
    EXPECT_THAT(api_->lines(), SizeIs(1)) << "it is kept already";
  }
}

TEST_F(ConfigurationKeeperTest, AtTheStartNothingIsDecidedByAGuess) {
  Begin({kGone});
  EXPECT_THAT(keeper_->doubts(), IsEmpty()) << "it is not listed yet";
  EXPECT_TRUE(keeper_->Settle(true, {}));
  EXPECT_EQ(Decides(), "? ConfigMissing");
  EXPECT_THAT(keeper_->current()->problems.front().message, HasSubstr("nothing is changed until it is there"));
  keeper_->Take(&kBroken);
  EXPECT_EQ(Decides(), "? InvalidConfig");
  keeper_->Take(&kGood);
  EXPECT_EQ(Decides(), "models.example");
  Begin({kGone});
  keeper_->Take(&kBroken);
  EXPECT_TRUE(keeper_->Settle(false, {}));
  EXPECT_EQ(Decides(), "? InvalidConfig") << "in a new cluster, too";
}

TEST_F(ConfigurationKeeperTest, ANewClusterHasTheDefaults) {
  Begin({kGone, Answer(201, "{}")});
  EXPECT_TRUE(keeper_->Settle(false, {}));
  EXPECT_EQ(Decides(), "example.com");
  EXPECT_THAT(keeper_->doubts(), IsEmpty());
  keeper_->Save({});
  EXPECT_THAT(api_->requests().back(), HasSubstr(R"("serving.inferd.io/kept":"default")"));
  keeper_->Take(nullptr);
  EXPECT_EQ(Decides(), "example.com") << "as before";
  // The next start knows that, even with services.
  Begin({kKeptDefault});
  EXPECT_TRUE(keeper_->Settle(true, {}));
  EXPECT_EQ(Decides(), "example.com");
  EXPECT_THAT(keeper_->doubts(), IsEmpty());
}

TEST_F(ConfigurationKeeperTest, WhatCannotBeReadIsWaitedFor) {
  Begin({kRefused, Answer(500, "{}"), Answer(503, "{}"), Answer(404, "<html>"), kKept});
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(keeper_->Settle(false, {}));
    ASSERT_THAT(keeper_->doubts(), SizeIs(1));
    EXPECT_THAT(keeper_->doubts().front().text, HasSubstr("Forbidden: no; the controller waits"));
  }
  EXPECT_TRUE(keeper_->Settle(false, {}));
  EXPECT_EQ(Decides(), "kept.example ConfigMissing");
}

TEST_F(ConfigurationKeeperTest, OneThatIsUsedIsKeptForTheNextStart) {
  Begin({kRefused, Answer(200, "{}"), Answer(200, "{}")});
  keeper_->Take(&kGood);
  keeper_->Save({});
  keeper_->Save({});
  EXPECT_THAT(api_->lines(), SizeIs(1)) << "a failure is tried again later";
  clock_.AdvanceMs(60'000);
  keeper_->Save({});
  keeper_->Save({});
  EXPECT_THAT(api_->lines(), SizeIs(2));
  EXPECT_THAT(api_->lines().back(),
              testing::StartsWith("PATCH /api/v1/namespaces/kserve/configmaps/inferenceservice-config-kept?"));
  EXPECT_THAT(api_->requests().back(), HasSubstr("models.example"));
  keeper_->Take(&kBroken);
  keeper_->Take(nullptr);
  keeper_->Save({});
  EXPECT_THAT(api_->lines(), SizeIs(2)) << "nothing new is used";
  keeper_->Take(&kGood);
  keeper_->Save({});
  EXPECT_THAT(api_->lines(), SizeIs(3)) << "at once";
}

}  // namespace
}  // namespace inferd::cluster
