#include "protocols/v2/access_record.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace inferd::v2 {
namespace {

std::string LineOf(base::LogFormat format, const AccessRecord& record, const base::LogValue& status) {
  const std::string file = ::testing::TempDir() + "inferd_access_record_test.log";
  std::remove(file.c_str());
  {
    auto logger = base::Logger::Create({.format = format, .file = file});
    LogAccess(**logger, record, status, 3'500'000);
  }
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  return text.str();
}

AccessRecord Record() {
  return {.received_ns = 1'000'000,
          .method = "POST",
          .target = "/inference.GRPCInferenceService/ModelInfer",
          .peer = "127.0.0.1:1",
          .traceparent = "00-1",
          .header_id = "abc-1",
          .model = "m",
          .version = "2",
          .id = "7",
          .error = "no such model"};
}

TEST(LogAccessTest, OneLineThatNamesEverything) {
  const std::string line = LineOf(base::LogFormat::kJson, Record(), "NOT_FOUND");
  for (const char* part : {R"("status":"NOT_FOUND")", R"("duration_us":2500)", R"("model":"m")", R"("version":2)",
                           R"("request_id":"7")", R"("traceparent":"00-1")", R"("peer":"127.0.0.1:1")",
                           R"("x_request_id":"abc-1")", R"("error":"no such model"})"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  EXPECT_NE(LineOf(base::LogFormat::kJson, Record(), 404).find(R"("status":404,)"), std::string::npos);
}

TEST(LogAccessTest, WhatDoesNotApplyIsEmpty) {
  AccessRecord record = Record();
  record.version = record.error = record.header_id = "";
  const std::string json = LineOf(base::LogFormat::kJson, record, 200);
  EXPECT_NE(json.find(R"("version":null,"request_id":"7","traceparent":"00-1"})"), std::string::npos) << json;
  const std::string human = LineOf(base::LogFormat::kHuman, record, 200);
  EXPECT_NE(human.find("status=200 duration_us=2500 peer=127.0.0.1:1 model=m version=\"\" request_id=7 "
                       "traceparent=00-1\n"),
            std::string::npos)
      << human;
}

}  // namespace
}  // namespace inferd::v2
