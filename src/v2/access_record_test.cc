#include "v2/access_record.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace inferd::v2 {
namespace {

TEST(LogAccessTest, OneLineThatNamesEverything) {
  const std::string file = testing::TempDir() + "inferd_access_record_test.log";
  std::remove(file.c_str());
  {
    auto logger = base::Logger::Create({.format = base::LogFormat::kJson, .file = file});
    ASSERT_TRUE(logger.has_value());
    LogAccess(**logger,
              {.received_ns = 1'000'000,
               .method = "POST",
               .target = "/inference.GRPCInferenceService/ModelInfer",
               .peer = "127.0.0.1:1",
               .traceparent = "00-1",
               .model = "m",
               .version = "2",
               .id = "7"},
              "NOT_FOUND", 3'500'000);
  }
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  for (const char* part : {R"("status":"NOT_FOUND")", R"("duration_us":"2500")", R"("model":"m")", R"("version":"2")",
                           R"("request_id":"7")", R"("traceparent":"00-1")", R"("peer":"127.0.0.1:1")"}) {
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " in " << text.str();
  }
  std::remove(file.c_str());
}

}  // namespace
}  // namespace inferd::v2
