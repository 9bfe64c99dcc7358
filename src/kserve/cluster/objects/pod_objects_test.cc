#include "kserve/cluster/objects/pod_objects.h"

#include <gmock/gmock.h>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using testing::ElementsAre;

TEST(PodObjectsTest, WhatWasReadCountsForSomeTimeAlsoThatThereIsNothing) {
  const std::string secret = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"m"}})";
  const std::string none = Answer(404, kubernetes::AbsentJson("s"));
  kubernetes::ScriptedApi api({Answer(200, secret), none, Answer(200, secret),
                               Answer(403, kubernetes::StatusJson(403, "Forbidden", "no")), Answer(200, secret)});
  kubernetes::ScriptedClient client(api, {.retry = {.attempts = 1}});
  base::FakeClock clock;
  PodObjects objects(*client, clock);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(*objects.Find("Secret", {"m", "s"}, {}), nullptr);
    EXPECT_EQ(*objects.Find("ServiceAccount", {"m", "s"}, {}), nullptr);
  }
  clock.AdvanceMs(30'000);
  EXPECT_NE(*objects.Find("ServiceAccount", {"m", "s"}, {}), nullptr) << "it has come";
  EXPECT_EQ(objects.Find("Secret", {"m", "s"}, {}).error().code, 403);
  EXPECT_NE(*objects.Find("Secret", {"m", "s"}, {}), nullptr) << "a failure is asked about again";
  EXPECT_THAT(api.lines(),
              ElementsAre("GET /api/v1/namespaces/m/secrets/s", "GET /api/v1/namespaces/m/serviceaccounts/s",
                          "GET /api/v1/namespaces/m/serviceaccounts/s", "GET /api/v1/namespaces/m/secrets/s",
                          "GET /api/v1/namespaces/m/secrets/s"));
}

TEST(PodObjectsTest, OnlyItsOwn404SaysThatThereIsNone) {
  kubernetes::ScriptedApi api({Answer(404, "<html>"), Answer(404, kubernetes::AbsentJson("another")),
                               Answer(404, kubernetes::AbsentJson("s"))});
  kubernetes::ScriptedClient client(api, {.retry = {.attempts = 1}});
  EXPECT_FALSE(ReadPodObject(*client, "Secret", {"m", "s"}, {}).has_value()) << "a proxy's";
  EXPECT_FALSE(ReadPodObject(*client, "Secret", {"m", "s"}, {}).has_value());
  EXPECT_EQ(ReadPodObject(*client, "Secret", {"m", "s"}, {}), nullptr);
}

}  // namespace
}  // namespace inferd::cluster
