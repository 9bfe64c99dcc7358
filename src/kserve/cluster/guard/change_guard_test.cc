#include "kserve/cluster/guard/change_guard.h"

#include <gmock/gmock.h>

#include <memory>

#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/ownership.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using testing::HasSubstr;

// Tests with services whose Deployments use the image a.
class ChangeGuardTest : public testing::Test {
 protected:
  static manifest::Value Service(int number, int generation = 1) {
    return Yaml("{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: s" +
                std::to_string(number) + ", namespace: m, uid: u" + std::to_string(number) +
                ", generation: " + std::to_string(generation) + "}, status: {observedGeneration: 1}}");
  }
  static manifest::Value Deployment(const manifest::Value& service, const std::string& image) {
    const std::string name = kubernetes::NameOf(service).name;
    return Yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: " + name +
                "-predictor-default, namespace: m, ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: "
                "InferenceService, name: " +
                name + ", uid: " + kubernetes::UidOf(service) +
                ", controller: true}]}, spec: {template: {spec: {containers: [{name: c, image: " + image + "}]}}}}");
  }
  // Returns true if the guard lets the service change to that image now.
  bool Goes(const manifest::Value& service, const std::string& image) {
    inputs_.owner = DigestOfUsersPart(service);
    const auto live = std::make_shared<const manifest::Value>(ForWriting(Deployment(service, "a"), service));
    const std::vector<LabelledObject> there = {{.resource = WrittenResourceOf(*live), .object = live}};
    const std::vector<manifest::Value> wanted = {Deployment(service, image)};
    const std::set<std::string> kept;
    return Passes({.owner = service, .wanted = wanted, .kept = kept, .there = there}, false);
  }
  // Returns true if the guard lets the service delete its Deployment now.
  bool Loses(const manifest::Value& service, bool is_move) {
    inputs_.owner = DigestOfUsersPart(service);
    const auto live = std::make_shared<const manifest::Value>(ForWriting(Deployment(service, "a"), service));
    const std::vector<LabelledObject> there = {{.resource = WrittenResourceOf(*live), .object = live}};
    const std::set<std::string> kept;
    return Passes({.owner = service, .wanted = {}, .kept = kept, .there = there}, is_move);
  }
  bool Passes(const ObjectSet& set, bool is_move) {
    auto checked = guard_.Check({.set = set, .revised = {}, .inputs = inputs_, .is_move = is_move}, {});
    EXPECT_TRUE(checked.has_value());
    held_ = checked.has_value() ? *std::move(checked) : std::nullopt;
    return !held_.has_value();
  }
  std::string Gauge(const std::string& cause) {
    const std::string text = metrics_.PrometheusText();
    const std::string series = R"(inferd_controller_held{kind="InferenceService",cause=")" + cause + "\"} ";
    const size_t at = text.find(series);
    return at == std::string::npos ? "" : text.substr(at + series.size(), text.find('\n', at) - at - series.size());
  }

  base::FakeClock clock_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry metrics_;
  kubernetes::ScriptedApi api_{{}};
  kubernetes::ScriptedClient client_{api_};
  DecisionInputs inputs_ = {.owner = "",
                            .configuration = std::make_shared<const Configuration>(),
                            .runtime = "",
                            .runtime_digest = "",
                            .features = ""};
  ChangeGuard guard_{{.kind = "InferenceService",
                      .limits = {.at_once = 2, .percent = 0, .per_minute = 1},
                      .count_owners = [] { return size_t{5}; }},
                     *client_,
                     clock_,
                     metrics_,
                     *logger_};
  std::optional<HeldChange> held_;
};

TEST_F(ChangeGuardTest, WhatIsHeldSaysWhatAndWhy) {
  for (int number = 0; number < 4; ++number) {
    EXPECT_TRUE(Goes(Service(number), "a"));
    guard_.NoteApplied(kubernetes::NameOf(Service(number)), inputs_);
  }
  inputs_.configuration = std::make_shared<const Configuration>();
  EXPECT_TRUE(Goes(Service(0), "b"));
  EXPECT_TRUE(Goes(Service(1), "b"));
  EXPECT_FALSE(Goes(Service(2), "b"));
  EXPECT_EQ(held_->again_in, std::chrono::milliseconds(60'001));
  EXPECT_EQ(held_->notice,
            (model::ObservedCondition{
                .status = "False",
                .reason = "ChangeHeld",
                .message = "a change waits for its turn: it starts new pods of Deployment \"s2-predictor-default\", "
                           "because the ConfigMap inferenceservice-config has changed. For one cause, 2 or, if that "
                           "is more, 0 % are changed so in the first minute, then 1 a minute"}));
  EXPECT_FALSE(Goes(Service(3), "b"));
  EXPECT_EQ(Gauge("configuration"), "2");
  EXPECT_EQ(Gauge("runtime"), "0");
  clock_.AdvanceMs(60'001);
  EXPECT_FALSE(Goes(Service(3), "b"));
  EXPECT_TRUE(Goes(Service(2), "b"));
  EXPECT_TRUE(Goes(Service(3), "a")) << "the configuration is as before";
  EXPECT_EQ(Gauge("configuration"), "0");
}

TEST_F(ChangeGuardTest, AUsersChangeIsNeitherHeldNorCounted) {
  for (int number = 0; number < 5; ++number) EXPECT_TRUE(Goes(Service(number, 2), "b"));
  EXPECT_TRUE(Goes(Service(5), "b"));
  EXPECT_TRUE(Goes(Service(6), "b"));
  EXPECT_FALSE(Goes(Service(7), "b"));
  EXPECT_FALSE(Goes(Service(7), "b"));
  EXPECT_TRUE(Goes(Service(7, 3), "c")) << "changed while it is held";
}

// A controller that starts during the move remembers nothing of the user's request.
TEST_F(ChangeGuardTest, AUsersMoveIsNotHeldWhenItEnds) {
  for (int number = 0; number < 5; ++number) EXPECT_TRUE(Loses(Service(number), true)) << number;
  EXPECT_TRUE(Loses(Service(5), false));
  EXPECT_TRUE(Loses(Service(6), false));
  EXPECT_FALSE(Loses(Service(7), false)) << "moves are not counted, and other deletions are";
  EXPECT_TRUE(Loses(Service(7), true));
  EXPECT_EQ(Gauge("start"), "0");
}

// Until the watch reports its write, an owner looks unchanged.
TEST_F(ChangeGuardTest, AChangeIsAdmittedOnce) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(Goes(Service(0), "b"));
    guard_.NoteApplied(kubernetes::NameOf(Service(0)), inputs_);
  }
  EXPECT_TRUE(Goes(Service(1), "b"));
}

TEST_F(ChangeGuardTest, OneThatIsGoneOrALeaderThatIsNewBeginsAnew) {
  for (int number = 0; number < 4; ++number) Goes(Service(number), "b");
  EXPECT_EQ(Gauge("start"), "2");
  guard_.Forget({"m", "s3"});
  EXPECT_EQ(Gauge("start"), "1");
  guard_.Restart();
  EXPECT_EQ(Gauge("start"), "0");
  EXPECT_TRUE(Goes(Service(2), "b"));
}

}  // namespace
}  // namespace inferd::cluster
