#include "kserve/cluster/guard/destruction.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>

#include "data/manifest/print.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kOwnerReferences =
    "ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: u1, "
    "controller: true}]";

class DestructionTest : public testing::Test {
 protected:
  static manifest::Value Deployment(const std::string& image, const std::string& more = "") {
    return Object("Deployment", "iris-predictor-default",
                  "spec: {template: {spec: {containers: [{name: c, image: '" + image + "'" + more + "}]}}}");
  }
  static manifest::Value Object(const std::string& kind, const std::string& name, const std::string& more = "spec: {}",
                                const std::string& owner = kOwnerReferences) {
    const std::string version = kind == "Deployment" ? "apps/v1" : kind == "Ingress" ? "networking.k8s.io/v1" : "v1";
    return Yaml("{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: " + name + ", namespace: m, " +
                owner + "}, " + more + "}");
  }
  void Live(const manifest::Value& object) {
    there_.push_back(
        {.resource = WrittenResourceOf(object), .object = std::make_shared<const manifest::Value>(object)});
  }
  // Adds the object to the live ones, as this program would have written it.
  void Written(const manifest::Value& object) { Live(ForWriting(object, owner_)); }
  std::optional<Destruction> Find(std::vector<manifest::Value> wanted, std::vector<std::string> answers = {},
                                  std::vector<RevisedComponent> revised = {}) {
    kubernetes::ScriptedApi api(std::move(answers));
    kubernetes::ScriptedClient client(api, {.retry = {.attempts = 1}});
    auto found =
        FindDestruction({.owner = owner_, .wanted = wanted, .kept = kept_, .there = there_}, revised, *client, {});
    lines_ = api.lines();
    return found.has_value() ? std::optional<Destruction>(*std::move(found)) : std::nullopt;
  }

  const manifest::Value owner_ = Yaml(
      "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m, uid: u1}}");
  const std::set<std::string> kept_;
  std::vector<LabelledObject> there_;
  std::vector<std::string> lines_;
};

TEST_F(DestructionTest, WhatIsMadeOrIsAsItIsWantedIsNotDestroyed) {
  EXPECT_TRUE(Find({Deployment("a"), Object("Service", "iris")})->empty());
  Written(Deployment("a"));
  EXPECT_TRUE(Find({Deployment("a"), Object("Service", "iris")})->empty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(DestructionTest, AnotherTemplateMakesNewPods) {
  Written(Deployment("a"));
  const auto found = Find({Deployment("b")});
  EXPECT_THAT(found->rolled, ElementsAre("Deployment \"iris-predictor-default\""));
  EXPECT_EQ(found->ToString(), "starts new pods of Deployment \"iris-predictor-default\"");
  EXPECT_TRUE(found->before.by_us);
  EXPECT_FALSE(found->before.as_wanted);
  EXPECT_THAT(lines_, IsEmpty()) << "nothing needs to be asked";
}

TEST_F(DestructionTest, WhoHasMadeTheTemplateIsTold) {
  Live(Deployment("a"));
  EXPECT_FALSE(Find({Deployment("b")})->before.by_us);
  there_.clear();
  auto changed = ForWriting(Deployment("b"), owner_);
  changed.Set("spec", *Deployment("a").Find("spec"));
  Live(changed);
  EXPECT_TRUE(Find({Deployment("b")})->before.as_wanted) << "it was written so, and another has changed it";
}

// Only the server knows whether a field that is no longer wanted will be removed.
TEST_F(DestructionTest, AFieldThatGoesIsAskedFor) {
  const auto earlier = Deployment("a", ", command: [x]");
  Written(earlier);
  const std::string kept = manifest::ToJson(earlier);
  EXPECT_TRUE(Find({Deployment("a")}, {Answer(200, kept)})->empty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("dryRun=All")));
  EXPECT_EQ(Find({Deployment("a")}, {Answer(200, manifest::ToJson(Deployment("a")))})->rolled.size(), 1U);
  EXPECT_EQ(Find({Deployment("a")}, {Answer(403, kubernetes::StatusJson(403, "Forbidden", "no"))})->rolled.size(), 1U);
  EXPECT_FALSE(Find({Deployment("a")}).has_value()) << "there was no answer";
}

TEST_F(DestructionTest, OthersObjectsAreNotTouched) {
  Live(Object("Deployment", "iris-predictor-default", "spec: {}",
              "ownerReferences: [{apiVersion: apps/v1, kind: Web, name: w, uid: u9, controller: true}]"));
  EXPECT_TRUE(Find({Deployment("b")})->empty());
  there_.clear();
  Live(Object("Deployment", "iris-predictor-default", "spec: {}",
              "ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: iris, uid: u0, "
              "controller: true}]"));
  EXPECT_TRUE(Find({Deployment("b")})->empty()) << "an earlier service's";
}

TEST_F(DestructionTest, ObjectsThatAreNotWantedAreLost) {
  Written(Object("Ingress", "iris"));
  Written(Object("Service", "iris"));
  const auto found = Find({Object("Service", "iris")});
  EXPECT_THAT(found->lost, ElementsAre("Ingress \"iris\""));
  EXPECT_EQ(found->ToString(), "deletes Ingress \"iris\"");
}

TEST_F(DestructionTest, RevisionsGoByThemselvesAndComeAsNewPods) {
  const std::string component = "iris-predictor-default";
  for (const char* name : {"iris-predictor-default-00001", "iris-predictor-default-00002"}) {
    Written(Object("Deployment", name));
    Written(Object("Service", name));
  }
  Written(Object("Service", "prev-iris-predictor-default"));
  EXPECT_TRUE(Find({Object("Deployment", "iris-predictor-default-00002")}, {}, {{.name = component}})->empty());
  const auto found = Find({Object("Deployment", "iris-predictor-default-00003")}, {},
                          {{.name = component, .new_revision = component + "-00003"}});
  EXPECT_THAT(found->rolled, ElementsAre("Deployment \"iris-predictor-default-00003\""));
  EXPECT_THAT(found->lost, IsEmpty());
  EXPECT_EQ(Find({})->lost.size(), 5U) << "it has no revisions any more";
}

}  // namespace
}  // namespace inferd::cluster
