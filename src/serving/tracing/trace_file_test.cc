#include "serving/tracing/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "serving/tracing/otlp_json.h"
#include "tests/support/temp_dir.h"

namespace inferd::tracing {
namespace {

using core::TraceActivity;
using ::testing::HasSubstr;

std::string ContentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TraceRecord Record(uint64_t id, uint64_t log_frequency = 0) {
  return {.id = id,
          .model = "m",
          .version = "1",
          .request_id = "",
          .events = {{TraceActivity::kRequestEnd, 9}, {TraceActivity::kRequestStart, 4}},
          .log_frequency = log_frequency};
}

std::vector<TraceRecord> Records(std::initializer_list<uint64_t> ids, uint64_t log_frequency = 0) {
  std::vector<TraceRecord> records;
  for (const uint64_t id : ids) records.push_back(Record(id, log_frequency));
  return records;
}

TEST(TraceFileTest, ATraceIsARequestItsTimestampsAndItsTensors) {
  TraceRecord record = Record(3);
  record.request_id = "r";
  record.parent_id = 2;
  record.tensors.push_back({TraceActivity::kTensorQueueInput, "IN", "1,2", "2", "INT32"});
  EXPECT_EQ(
      TraceFileText(record),
      R"({"id":3,"model_name":"m","model_version":1,"request_id":"r","parent_id":2},)"
      R"({"id":3,"timestamps":[{"name":"REQUEST_START","ns":4},{"name":"REQUEST_END","ns":9}]},)"
      R"({"id":3,"activity":"TENSOR_QUEUE_INPUT","tensor":{"name":"IN","data":"1,2","shape":"2","dtype":"INT32"}})");
}

TEST(TraceFileTest, AFileIsAWholeArrayAfterEachExport) {
  const inferd::support::TempDir dir;
  const auto logger = base::Logger::Silent();
  const std::string path = dir.path() / "traces.json";
  TraceFile file(path, *logger);
  ASSERT_TRUE(file.Export(Records({1, 2})));
  const std::string two = "[" + TraceFileText(Record(1)) + "," + TraceFileText(Record(2)) + "]";
  EXPECT_EQ(ContentOf(path), two);
  ASSERT_TRUE(file.Export(Records({3})));
  EXPECT_EQ(ContentOf(path), two.substr(0, two.size() - 1) + "," + TraceFileText(Record(3)) + "]");
}

TEST(TraceFileTest, FilesWithSoManyTracesAreNumbered) {
  const inferd::support::TempDir dir;
  const auto logger = base::Logger::Silent();
  const std::string path = dir.path() / "t";
  TraceFile file(path, *logger);
  ASSERT_TRUE(file.Export(Records({1, 2, 3}, 2)));
  ASSERT_TRUE(file.Export(Records({7})));
  ASSERT_TRUE(file.Export(Records({4}, 2)));
  EXPECT_EQ(ContentOf(path + ".0"), "[" + TraceFileText(Record(1)) + "," + TraceFileText(Record(2)) + "]");
  EXPECT_EQ(ContentOf(path + ".1"), "[" + TraceFileText(Record(3)) + "," + TraceFileText(Record(4)) + "]");
  EXPECT_EQ(ContentOf(path), "[" + TraceFileText(Record(7)) + "]");
}

TEST(TraceFileTest, WhatCannotBeWrittenIsLostAndTriedAgain) {
  const inferd::support::TempDir dir;
  const auto logger = base::Logger::Silent();
  TraceFile file(dir.path() / "later" / "t", *logger);
  EXPECT_FALSE(file.Export(Records({1})));
  std::filesystem::create_directory(dir.path() / "later");
  EXPECT_TRUE(file.Export(Records({2})));
  EXPECT_EQ(ContentOf(dir.path() / "later" / "t"), "[" + TraceFileText(Record(2)) + "]");
}

TEST(OtlpJsonTest, SpansAreNested) {
  TraceRecord record = Record(1);
  record.events = {{TraceActivity::kHttpRecvStart, 1}, {TraceActivity::kRequestStart, 2},
                   {TraceActivity::kComputeStart, 3},  {TraceActivity::kComputeEnd, 4},
                   {TraceActivity::kRequestEnd, 5},    {TraceActivity::kHttpSendEnd, 6}};
  record.trace[0] = 0xab;
  record.request_span[0] = 1;
  record.model_span[0] = 2;
  record.compute_span[0] = 3;
  const std::string text = OtlpJson(std::vector{record}, {{"service.name", "s"}}, 100);
  EXPECT_THAT(text, HasSubstr(R"("resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}]})"));
  EXPECT_THAT(text, HasSubstr(R"({"traceId":"ab000000000000000000000000000000","spanId":"0100000000000000",)"
                              R"("name":"InferRequest","kind":2,"startTimeUnixNano":"101","endTimeUnixNano":"106")"));
  EXPECT_THAT(text, HasSubstr(R"("spanId":"0200000000000000","parentSpanId":"0100000000000000","name":"m","kind":1,)"
                              R"("startTimeUnixNano":"102","endTimeUnixNano":"105")"));
  EXPECT_THAT(text, HasSubstr(R"("spanId":"0300000000000000","parentSpanId":"0200000000000000","name":"compute")"));
  EXPECT_THAT(text, HasSubstr(R"({"timeUnixNano":"103","name":"COMPUTE_START"})"));
}

}  // namespace
}  // namespace inferd::tracing
