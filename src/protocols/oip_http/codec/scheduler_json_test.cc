#include "protocols/oip_http/codec/scheduler_json.h"

#include <gtest/gtest.h>

#include "protocols/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

using core::BatchReason;

core::SchedulerReport Batching() {
  core::SchedulerReport report;
  report.id = {.name = "m", .version = 3};
  report.batching = true;
  report.preserve_order = true;
  report.rows_max = 8;
  report.preferred_rows = {4, 8};
  report.delay_ns = 100'500;
  report.instances = 2;
  report.busy_instances = 1;
  report.levels = {{.level = 1, .requests = 5, .size_max = 16}, {.level = 2, .requests = 0, .size_max = 1024}};
  report.mean_service_ns = 2'000'001;
  report.inline_executions = 7;
  report.executions[static_cast<size_t>(BatchReason::kFull)] = 3;
  report.executions[static_cast<size_t>(BatchReason::kDelayOver)] = 1;
  report.resource_wait_ns = 1'000;
  report.recent = {{.started_wall_ms = 1'700'000'000'123,
                    .rows = 8,
                    .requests = 6,
                    .reason = BatchReason::kFull,
                    .oldest_waited_ns = 90'000,
                    .service_ns = 1'500,
                    .left_waiting = 5,
                    .instance = 1,
                    .on_loop = false}};
  return report;
}

TEST(SchedulerJsonTest, SaysHowAVersionIsScheduled) {
  EXPECT_EQ(SchedulerJson(Batching()),
            R"({"model_name":"m","model_version":"3",)"
            R"("summary":"The only execution had 8 rows: it took as many rows as fit.",)"
            R"("batching":{"enabled":true,"rows_max":8,"preferred_rows":[4,8],"delay_us":100.5,)"
            R"("preserve_ordering":true},)"
            R"("queue":[{"priority_level":1,"requests":5,"size_max":16},)"
            R"({"priority_level":2,"requests":0,"size_max":1024}],)"
            R"("instances":{"count":2,"busy":1,"mean_service_us":2000.001,"inline_open":false,"inline_executions":7},)"
            R"("executions":{"full":3,"delay_over":1},"resource_wait_us":1,)"
            R"("recent":[{"started_ms":1700000000123,"rows":8,"requests":6,"reason":"full","oldest_waited_us":90,)"
            R"("service_us":1.5,"left_waiting":5,"instance":1,"inline":false}]})");
}

TEST(SchedulerJsonTest, SaysWhatFailedBatchesHaveLedTo) {
  core::SchedulerReport report = Batching();
  report.sharing = {.failed = 2, .repeated = 16, .requests_max = 3, .stopped = ""};
  EXPECT_NE(SchedulerJson(report).find(
                R"("preserve_ordering":true,"failures":{"executions":2,"repeated_requests":16,"requests_max":3}},)"),
            std::string::npos);
  report.batching = false;
  report.sharing = {.failed = 0, .repeated = 0, .requests_max = 1, .stopped = "the rows are \"few\""};
  EXPECT_NE(SchedulerJson(report).find(R"("preserve_ordering":true,"stopped":"the rows are \"few\""},)"),
            std::string::npos);
}

TEST(SchedulerJsonTest, TuningAndConcurrencyStandWhereTheyAreOn) {
  core::SchedulerReport report = Batching();
  report.tuning = {.active = true,
                   .objective_ns = 50'000'000,
                   .rows_per_second = 1234.5,
                   .first_row_ns = 2'050'000,
                   .further_row_ns = 50'000,
                   .explanation = "no delay: why"};
  report.concurrency = {.limit = 12, .min = 1, .max = 100, .in_flight = 9, .shed = 4};
  const std::string json = SchedulerJson(report);
  EXPECT_NE(json.find(R"("tuning":{"latency_objective_us":50000,"rows_per_second":1234.5,"first_row_us":2050,)"
                      R"("further_row_us":50,"explanation":"no delay: why"},)"
                      R"("concurrency":{"limit":12,"min":1,"max":100,"in_flight":9,"shed":4},)"),
            std::string::npos)
      << json;
}

std::string SummaryOf(std::initializer_list<std::pair<int64_t, BatchReason>> executions) {
  core::SchedulerReport report;
  for (const auto& [rows, reason] : executions) {
    core::BatchRecord record;
    record.rows = rows;
    record.reason = reason;
    report.recent.push_back(record);
  }
  return SchedulerSummary(report);
}

TEST(SchedulerSummaryTest, CountsTheReasonsInPlainWords) {
  EXPECT_EQ(SummaryOf({}), "There was no execution so far.");
  EXPECT_EQ(SummaryOf({{1, BatchReason::kNoneWaiting}}),
            "The only execution had 1 row: it began because an instance was idle.");
  EXPECT_EQ(SummaryOf({{1, BatchReason::kNotBatching}, {1, BatchReason::kNotBatching}}),
            "The last 2 executions had 1 row each: all took one request, as batching is off.");
  EXPECT_EQ(SummaryOf({{1, BatchReason::kNoneWaiting}, {8, BatchReason::kFull}, {8, BatchReason::kFull}}),
            "The last 3 executions had 1 to 8 rows, 5.7 on average: 2 took as many rows as fit; "
            "1 began because an instance was idle.");
}

TEST(SchedulerSummaryTest, HasWordsForEveryReason) {
  for (size_t i = 0; i < core::kBatchReasonCount; ++i) {
    const auto reason = static_cast<BatchReason>(i);
    EXPECT_NE(core::BatchReasonName(reason), "unknown") << i;
    EXPECT_EQ(SummaryOf({{2, reason}}).find("unknown"), std::string::npos) << i;
  }
  EXPECT_EQ(core::BatchReasonName(static_cast<BatchReason>(core::kBatchReasonCount)), "unknown");
}

TEST(SchedulerEndpointTest, AnswersForAModelOrAVersion) {
  TestServer server;
  server.catalog.scheduling = Batching();
  const net::HttpResponse response = server.Get("/v2/models/m/scheduler");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(HeaderValue(response, "Content-Type"), "application/json");
  EXPECT_EQ(BodyText(response), SchedulerJson(Batching()));
  EXPECT_EQ(server.catalog.asked_model, "m");
  EXPECT_EQ(server.Get("/v2/models/m/versions/3/scheduler").status, 200);
  EXPECT_EQ(server.Post("/v2/models/m/scheduler", "").status, 405);
}

TEST(SchedulerEndpointTest, SaysWhyThereIsNoAnswer) {
  TestServer server;
  server.catalog.scheduling = std::unexpected(base::NotFound("no model 'm'"));
  EXPECT_EQ(server.Get("/v2/models/m/scheduler").status, 404);
  server.catalog.scheduling = std::unexpected(base::Unavailable("model 'm' is loading"));
  EXPECT_EQ(server.Get("/v2/models/m/scheduler").status, 503);
}

}  // namespace
}  // namespace inferd::oip_http
