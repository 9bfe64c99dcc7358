#include "serving/repository/load/load_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoadMetricsTest, LoadsAreCountedByModel) {
  metrics::Registry registry;
  LoadMetrics metrics(registry, false);
  const core::ModelId id{.name = "m", .version = 3};
  const std::filesystem::path dir = "/models/m/3";
  const LoadMetrics::Version version{.id = id, .dir = dir};
  metrics.Opened(version, StatusCode::kOk, 2'500'000'000);
  metrics.WarmedUp(version, 500'000'000);
  metrics.WarmedUpWithRecords(version, StatusCode::kOk, 7, 400'000'000);
  metrics.Ended(version, StatusCode::kOk, 3'000'000'000);
  metrics.Opened(version, StatusCode::kInternal, 1);
  metrics.Ended(version, StatusCode::kInternal, 1);
  const std::string page = registry.PrometheusText();
  EXPECT_THAT(page, HasSubstr("# HELP inferd_model_load_duration_seconds "));
  EXPECT_THAT(page, HasSubstr("inferd_model_load_duration_seconds_bucket{model=\"m\",le=\"1\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("inferd_model_load_duration_seconds_sum{model=\"m\"} 2.5\n"));
  EXPECT_THAT(page, HasSubstr("inferd_model_load_duration_seconds_count{model=\"m\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("inferd_model_warmup_duration_seconds_sum{model=\"m\"} 0.5\n"));
  EXPECT_THAT(page, HasSubstr("inferd_model_load_failures_total{model=\"m\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("nv_model_load_duration_secs{model=\"m\",version=\"3\"} 3\n"));
  EXPECT_THAT(page, Not(HasSubstr("tensorflow")));
  metrics.ForgetVersion(version);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("nv_model_load_duration_secs{")));
  EXPECT_THAT(registry.PrometheusText(), HasSubstr("inferd_model_load_duration_seconds_count"));
  metrics.ForgetModel("m");
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("{model=")));
}

TEST(LoadMetricsTest, TensorflowsNamesHaveTheFolder) {
  metrics::Registry registry;
  LoadMetrics metrics(registry, true);
  const core::ModelId id{.name = "m", .version = 3};
  const std::filesystem::path dir = "/models/m/3";
  const LoadMetrics::Version version{.id = id, .dir = dir};
  for (const int64_t ns : {2'000'000, 1'000'000}) metrics.Opened(version, StatusCode::kOk, ns);
  metrics.Opened(version, StatusCode::kInvalidArgument, 5'000'000);
  metrics.WarmedUpWithRecords(version, StatusCode::kOk, 7, 400'000);
  const std::string page = registry.PrometheusText();
  const std::string path = "{model_path=\"/models/m/3\"";
  EXPECT_THAT(page, HasSubstr(":tensorflow:cc:saved_model:load_attempt_count" + path + ",status=\"success\"} 2\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:cc:saved_model:load_attempt_count" + path + ",status=\"fail\"} 1\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:cc:saved_model:load_latency" + path + "} 3000\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:model_warmup_latency_sum" + path + ",status=\"OK\"} 400\n"));
  EXPECT_THAT(page, HasSubstr(":tensorflow:serving:model_warmup_records_read" + path + ",status=\"OK\"} 7\n"));
  metrics.ForgetVersion(version);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("model_path=")));
  metrics.Opened(version, StatusCode::kInternal, 1);
  metrics.ForgetModel("m");
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("model_path=")));
}

TEST(LoadMetricsTest, AVersionIsKnownToMlMetadata) {
  const inferd::support::TempDir dir;
  dir.Write("3/assets.extra/mlmd_uuid", "test_model_3ab1\n");
  metrics::Registry registry;
  const core::ModelId id{.name = "m", .version = 3};
  const std::filesystem::path folder = dir.path() / "3";
  const LoadMetrics::Version version{.id = id, .dir = folder};
  LoadMetrics(registry, false).Ended(version, StatusCode::kOk, 1);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("mlmd")));
  LoadMetrics metrics(registry, true);
  metrics.Ended(version, StatusCode::kOk, 1);
  EXPECT_THAT(registry.PrometheusText(), HasSubstr(":tensorflow:serving:mlmd_map{model_name=\"m\",version=\"3\","
                                                   "mlmd_uuid=\"test_model_3ab1\"} 1\n"));
  metrics.ForgetVersion(version);
  EXPECT_THAT(registry.PrometheusText(), Not(HasSubstr("mlmd_map{")));
}

using LoadMetricsOfModelsTest = ManagerTest;

TEST_F(LoadMetricsOfModelsTest, GoWithWhatTheyAreAbout) {
  options_.tensorflow_metrics = true;
  AddVersion("m", 1);
  Start();
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("/m/1\",status=\"success\"} 1\n"));
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("inferd_model_load_duration_seconds_count{model=\"m\"} 1\n"));
  AddVersion("m", 2);
  Look();
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("/m/1\"")));
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("inferd_model_load_duration_seconds_count{model=\"m\"} 2\n"));
  dir_.Remove("m");
  Look();
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("inferd_model_load_duration_seconds_count{")));
  EXPECT_THAT(registry_.PrometheusText(), Not(HasSubstr("model_path=")));
}

}  // namespace
}  // namespace inferd::repository
