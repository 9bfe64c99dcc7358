#include "serving/repository/records/version_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(VersionMetricsTest, FollowAVersionThroughItsStates) {
  metrics::Registry registry;
  VersionMetrics metrics(registry);
  registry.AddCounter("requests_total", "of any metric", {{"model", "m"}, {"version", "3"}});
  ModelRecord record;
  record.name = "m";
  VersionHarness& version = record.versions[3];
  metrics.Update(record);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("inferd_model_"))) << "it is not loaded";

  const auto begin = [&version] {
    version.QueueForRoom();
    EXPECT_TRUE(version.BeginLoad({}, {.bytes = 700}));
  };
  begin();
  metrics.Update(record);
  EXPECT_THAT(registry.PrometheusText(),
              AllOf(HasSubstr("inferd_model_state{model=\"m\",version=\"3\",state=\"LOADING\"} 1\n"),
                    HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"3\"} 700\n")));

  version.DiscardLoad();
  begin();
  version.DiscardLoad();  // two loads, one after the other; neither is quite gone
  metrics.Update(record);
  EXPECT_THAT(registry.PrometheusText(),
              AllOf(HasSubstr("inferd_model_state{model=\"m\",version=\"3\",state=\"UNLOADING\"} 1\n"),
                    HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"3\"} 1400\n"),
                    Not(HasSubstr("LOADING\"} 1\ninferd_model_state"))));

  version.LoadGone();
  version.LoadGone();
  version.QueueForRoom();
  version.RefuseLoad({}, base::ResourceExhausted("too large"), 1);
  metrics.Update(record);
  EXPECT_THAT(registry.PrometheusText(),
              AllOf(HasSubstr("inferd_model_state{model=\"m\",version=\"3\",state=\"UNAVAILABLE\"} 1\n"),
                    HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"3\"} 0\n"), Not(HasSubstr("LOADING")),
                    HasSubstr("requests_total{")));

  version.ForgetFailure();
  metrics.Update(record);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("model=")));
}

TEST(VersionMetricsTest, GoWithTheModel) {
  metrics::Registry registry;
  VersionMetrics metrics(registry);
  for (const char* name : {"a", "b"}) {
    ModelRecord record;
    record.name = name;
    record.versions[1].QueueForRoom();
    record.versions[1].RefuseLoad({}, base::ResourceExhausted("too large"), 1);
    metrics.Update(record);
  }
  metrics.Forget("a");
  metrics.Forget("nobody");
  EXPECT_THAT(registry.PrometheusText(), AllOf(Not(HasSubstr("\"a\"")), HasSubstr("\"b\"")));
}

using VersionMetricsOfModelsTest = ManagerTest;

TEST_F(VersionMetricsOfModelsTest, AreThoseOfWhatIsLoaded) {
  AddVersion("m", 1, "12345");
  AddVersion("broken", 2);
  FailLoadsOf("broken", "no such operator");
  Start();
  EXPECT_THAT(registry_.PrometheusText(),
              AllOf(HasSubstr("inferd_model_state{model=\"m\",version=\"1\",state=\"READY\"} 1\n"),
                    HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"1\"} 5\n"),
                    HasSubstr("inferd_model_state{model=\"broken\",version=\"2\",state=\"UNAVAILABLE\"} 1\n"),
                    HasSubstr("inferd_model_memory_bytes{model=\"broken\",version=\"2\"} 0\n"),
                    HasSubstr("inferd_loaded_models_bytes 5\n")));
  AddVersion("m", 2, "123");
  dir_.Remove("broken");
  Look();
  EXPECT_THAT(registry_.PrometheusText(),
              AllOf(HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"2\"} 3\n"),
                    HasSubstr("inferd_model_state{model=\"m\",version=\"2\",state=\"READY\"} 1\n"),
                    Not(HasSubstr("version=\"1\"")), Not(HasSubstr("broken"))));
}

TEST_F(VersionMetricsOfModelsTest, AReloadCountsTwiceOnlyWhileBothAreThere) {
  AddVersion("m", 1, "12345");
  Start();
  AddVersion("m", 1, "1234567");
  Look();
  EXPECT_THAT(registry_.PrometheusText(), AllOf(HasSubstr("inferd_model_memory_bytes{model=\"m\",version=\"1\"} 7\n"),
                                                HasSubstr("inferd_loaded_models_bytes 7\n")));
}

TEST_F(VersionMetricsOfModelsTest, ModelsThatWaitForRequestsHaveNone) {
  options_.lazy.enabled = true;
  AddVersion("m", 1);
  Start();
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("model=\"m\"")));
}

}  // namespace
}  // namespace inferd::repository
