#include "kserve/cluster/services/pod_status.h"

#include <gtest/gtest.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

using model::ReplicaState;

model::ReplicaStatus Read(const std::string& status, const std::string& metadata = "") {
  return ReadPodStatus(Yaml("{metadata: {name: p" + metadata + "}, status: {" + status + "}}"));
}

std::string Waiting(const std::string& reason, const std::string& message) {
  return "containerStatuses: [{name: kserve-container, restartCount: 0, state: {waiting: {reason: " + reason +
         ", message: '" + message + "'}}}]";
}

TEST(PodStatusTest, WhatAPodIs) {
  const struct {
    std::string status;
    ReplicaState state;
    std::string failure;
  } cases[] = {
      {"phase: Pending", ReplicaState::kStarting, ""},
      {Waiting("ContainerCreating", ""), ReplicaState::kStarting, ""},
      {Waiting("PodInitializing", ""), ReplicaState::kStarting, ""},
      {"phase: Running, conditions: [{type: Ready, status: 'True'}]", ReplicaState::kReady, ""},
      {"phase: Running, conditions: [{type: Ready, status: 'False'}]", ReplicaState::kStarting, ""},
      {Waiting("ImagePullBackOff", "Back-off pulling image \"x\""), ReplicaState::kFailed,
       "ImagePullBackOff: Back-off pulling image \"x\""},
      {Waiting("CreateContainerConfigError", "secret \"s\" not found"), ReplicaState::kFailed,
       "CreateContainerConfigError: secret \"s\" not found"},
      {Waiting("InvalidImageName", ""), ReplicaState::kFailed, "InvalidImageName"},
      {"phase: Failed, reason: Evicted, message: The node was low on memory.", ReplicaState::kFailed,
       "Evicted: The node was low on memory."},
      // Wrong types.
      {"phase: [x], containerStatuses: {a: 1}, conditions: 7", ReplicaState::kStarting, ""},
      {"containerStatuses: [1, [], {name: {}, state: x}, {restartCount: many}]", ReplicaState::kStarting, ""},
  };
  for (const auto& one : cases) {
    const auto read = Read(one.status);
    EXPECT_EQ(read.name, "p");
    EXPECT_EQ(read.state, one.state) << one.status;
    EXPECT_EQ(read.failure, one.failure) << one.status;
  }
}

TEST(PodStatusTest, AStorageInitializersOwnWordsAreTheFailure) {
  const auto read = Read(
      "initContainerStatuses: [{name: storage-initializer, restartCount: 3, state: {waiting: {reason: "
      "CrashLoopBackOff, "
      "message: back-off 40s}}, lastState: {terminated: {exitCode: 1, reason: Error, message: \"no such "
      "bucket\\n\"}}}], "
      "containerStatuses: [{name: kserve-container, restartCount: 0, state: {waiting: {reason: PodInitializing}}}]");
  EXPECT_EQ(read.state, ReplicaState::kFailed);
  EXPECT_EQ(read.failure, "no such bucket");
  EXPECT_EQ(read.exit_code, 1);
  EXPECT_EQ(read.restarts, 3);
}

TEST(PodStatusTest, WithoutWordsItIsHowTheContainerEnded) {
  const auto read = Read(
      "containerStatuses: [{name: kserve-container, restartCount: 1, state: {terminated: {exitCode: 137, reason: "
      "OOMKilled}}}, {name: agent, restartCount: 2, state: {running: {}}}]");
  EXPECT_EQ(read.failure, "container \"kserve-container\" ended with exit code 137 (OOMKilled)");
  EXPECT_EQ(read.exit_code, 137);
  EXPECT_EQ(read.restarts, 3);
  ASSERT_TRUE(read.last_end.has_value());
  EXPECT_TRUE(read.last_end->out_of_memory);
}

TEST(PodStatusTest, OneThatIsReadyAgainSaysHowItEndedBefore) {
  const auto read = Read(
      "conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: kserve-container, restartCount: 1, "
      "state: "
      "{running: {}}, lastState: {terminated: {exitCode: 2, reason: Error}}}]");
  EXPECT_EQ(read.state, ReplicaState::kReady);
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.last_end->exit_code, 2);
}

TEST(PodStatusTest, OneThatGoesHasNotFailed) {
  const auto read = Read(Waiting("ImagePullBackOff", "x"), ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  EXPECT_EQ(read.state, ReplicaState::kStopping);
  EXPECT_EQ(read.failure, "");
}

TEST(PodStatusTest, LongMessagesAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "é";
  const auto read = Read(Waiting("ErrImagePull", text));
  EXPECT_LT(read.failure.size(), 1100U);
  EXPECT_TRUE(read.failure.ends_with("é..."));
}

TEST(PodStatusTest, WhyAPodHasNotBegun) {
  EXPECT_EQ(
      WhyPodWaits(Yaml("{metadata: {name: p}, status: {conditions: [{type: PodScheduled, status: 'False', reason: "
                       "Unschedulable, message: 0/3 nodes are available}]}}")),
      "pod \"p\": Unschedulable: 0/3 nodes are available");
  EXPECT_EQ(WhyPodWaits(Yaml("{status: {conditions: [{type: PodScheduled, status: 'True'}]}}")), "");
}

TEST(PodStatusTest, PodsOfTheNewestTemplateAreApart) {
  const auto pod = [](const std::string& hash, const std::string& created) {
    return Yaml("{metadata: {labels: {pod-template-hash: " + hash + "}, creationTimestamp: '" + created + "'}}");
  };
  const auto a = pod("old", "2026-01-01T00:00:00Z");
  const auto b = pod("new", "2026-01-02T00:00:00Z");
  const auto c = pod("new", "2026-01-01T12:00:00Z");
  const std::vector<const manifest::Value*> pods = {&a, &b, &c};
  const PodGenerations split = SplitPods(pods);
  EXPECT_EQ(split.newest, (std::vector<const manifest::Value*>{&b, &c}));
  EXPECT_EQ(split.earlier, (std::vector<const manifest::Value*>{&a}));
  EXPECT_TRUE(SplitPods({}).newest.empty());
}

TEST(PodStatusTest, OfPodsOfOneSecondThatWhichIsNotReadyIsTheNewest) {
  const auto pod = [](const std::string& hash, const std::string& is_ready) {
    return Yaml("{metadata: {labels: {pod-template-hash: " + hash + "}, creationTimestamp: '2026-01-01T00:00:00Z'}, " +
                "status: {conditions: [{type: Ready, status: '" + is_ready + "'}]}}");
  };
  const auto before = pod("old", "True");
  const auto after = pod("new", "False");
  for (const auto& pods : {std::vector<const manifest::Value*>{&before, &after}, {&after, &before}}) {
    const PodGenerations split = SplitPods(pods);
    EXPECT_EQ(split.newest, (std::vector<const manifest::Value*>{&after}));
    EXPECT_EQ(split.earlier, (std::vector<const manifest::Value*>{&before}));
  }
}

}  // namespace
}  // namespace inferd::cluster
