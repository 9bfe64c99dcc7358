#include "protocols/tfs_http/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "protocols/tfs_http/handler_fixture.h"

namespace inferd::tfs_http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Returns the log lines that a server with an access log wrote for the request.
std::string LogOf(bool access_log, std::string_view target, std::string_view body) {
  const std::string file = ::testing::TempDir() + "tfs_access_" + std::to_string(::getpid()) + ".log";
  TestServer server;
  server.logger = *base::Logger::Create({.format = base::LogFormat::kHuman, .file = file});
  server.options.access_log = access_log;
  server.handler = server.NewHandler();
  server.dispatcher.models["m"] = Model({{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1}}});
  server.Post(target, body, {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  return text.str();
}

TEST(AccessLogTest, SaysWhoAskedWhatAndHowItWent) {
  const std::string log = LogOf(true, "/v1/models/m/versions/1:predict", R"({"instances": [1]})");
  EXPECT_THAT(log, HasSubstr("/v1/models/m/versions/1:predict"));
  EXPECT_THAT(log, HasSubstr("200"));
  EXPECT_THAT(log, HasSubstr("127.0.0.1:1"));
  EXPECT_THAT(log, HasSubstr("0af7651916cd43dd8448eb211c80319c"));
}

TEST(AccessLogTest, SaysWhatWasRefused) {
  EXPECT_THAT(LogOf(true, "/v1/models/m:explain", "{}"), HasSubstr("400"));
  EXPECT_THAT(LogOf(true, "/v1/models/n:predict", R"({"instances": [1]})"), HasSubstr("404"));
}

TEST(AccessLogTest, NamesTheModelAndTheFailure) {
  const std::string served = LogOf(true, "/v1/models/m:predict", R"({"instances": [1]})");
  EXPECT_THAT(served, HasSubstr(" model=m version=1 "));
  EXPECT_THAT(served, Not(HasSubstr(" error=")));
  const std::string unknown = LogOf(true, "/v1/models/n/versions/7:predict", R"({"instances": [1]})");
  EXPECT_THAT(unknown, HasSubstr(" model=n version=7 "));
  EXPECT_THAT(unknown, HasSubstr(" error="));
  EXPECT_THAT(LogOf(true, "/v1/models/m:explain", "{}"), HasSubstr(" error=\"Malformed request: "));
}

TEST(AccessLogTest, IsOffUnlessAskedFor) {
  EXPECT_EQ(LogOf(false, "/v1/models/m:predict", R"({"instances": [1]})"), "");
  EXPECT_EQ(LogOf(false, "/v1/models/m:explain", "{}"), "");
}

TEST(CorsHeadersTest, AreAddedWhereTheyAreOn) {
  net::HttpResponse response;
  Options options;
  AddCorsHeaders(options, response);
  EXPECT_TRUE(response.headers.empty());
  options.cors = true;
  AddCorsHeaders(options, response);
  EXPECT_EQ(HeaderValue(response, "Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(HeaderValue(response, "Access-Control-Allow-Methods"), "POST, GET");
  EXPECT_EQ(HeaderValue(response, "Access-Control-Allow-Headers"), "Content-Type");
}

}  // namespace
}  // namespace inferd::tfs_http
