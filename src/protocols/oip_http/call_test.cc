#include "protocols/oip_http/call.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "protocols/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

// Returns the log lines that a server with an access log wrote during `ask`.
template <typename Ask>
std::string LogOf(bool access_log, Ask ask) {
  const std::string file = ::testing::TempDir() + "access_" + std::to_string(::getpid()) + ".log";
  TestServer server;
  server.logger = *base::Logger::Create({.format = base::LogFormat::kHuman, .file = file});
  server.options.access_log = access_log;
  server.handler = server.NewHandler();
  server.dispatcher.models["m"] = std::make_shared<FakePinned>();
  ask(server);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::remove(file.c_str());
  return text.str();
}

TEST(AccessLogTest, SaysWhoAskedWhatAndHowItWent) {
  const std::string log = LogOf(true, [](TestServer& server) {
    server.dispatcher.infer = [&](const core::PinnedModel& pinned, const core::InferRequest& request,
                                  core::Completion done) {
      server.clock.AdvanceMs(3);
      FakeDispatcher::Echo(pinned, request, std::move(done));
    };
    net::HttpRequest request =
        TestServer::Request(net::Method::kPost, "/v2/models/m/infer",
                            R"({"id":"a b","inputs":[{"name":"x","shape":[1],"datatype":"INT8","data":[1]}]})",
                            {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}});
    request.received_ns = server.clock.NowNs();
    EXPECT_EQ(server.Ask(std::move(request)).status, 200);
  });
  EXPECT_NE(
      log.find("access method=POST target=/v2/models/m/infer status=200 duration_us=3000 peer=127.0.0.1:1 model=m "
               "version=1 request_id=\"a b\" "
               "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
      std::string::npos)
      << log;
}

TEST(AccessLogTest, RefusalsCountToo) {
  const std::string log = LogOf(true, [](TestServer& server) { server.Get("/nothing"); });
  EXPECT_NE(log.find("target=/nothing status=404 peer=127.0.0.1:1 error=\"Not Found\"\n"), std::string::npos) << log;
}

TEST(AccessLogTest, FailuresSayWhy) {
  const std::string log = LogOf(true, [](TestServer& server) {
    server.Ask(TestServer::Request(net::Method::kPost, "/v2/models/m/versions/1/infer", "{}",
                                   {{"Content-Encoding", "brotli"}}));
    server.Ask(TestServer::Request(net::Method::kPost, "/v2/models/nobody/infer", "{}", {}));
    server.Ask(TestServer::Request(net::Method::kPost, "/v2/models/m/infer", "{", {}));
  });
  std::istringstream lines(log);
  std::string refused, unknown, malformed;
  std::getline(lines, refused);
  std::getline(lines, unknown);
  std::getline(lines, malformed);
  EXPECT_NE(refused.find("status=415 peer=127.0.0.1:1 model=m version=1 error="), std::string::npos) << refused;
  EXPECT_NE(unknown.find("model=nobody version=\"\" "), std::string::npos) << unknown;
  EXPECT_NE(unknown.find(" error="), std::string::npos) << unknown;
  EXPECT_NE(malformed.find("status=400"), std::string::npos) << malformed;
  EXPECT_NE(malformed.find(" model=m version=1 "), std::string::npos) << malformed;
  EXPECT_NE(malformed.find("error=\"JSON at byte"), std::string::npos) << malformed;
}

TEST(AccessLogTest, EveryPathWithAModelNamesIt) {
  for (const char* target : {"/v2/models/m/versions/1", "/v2/models/m/versions/1/ready",
                             "/v2/models/m/versions/1/stats", "/v2/models/m/versions/1/config"}) {
    const std::string log = LogOf(true, [target](TestServer& server) { server.Get(target); });
    EXPECT_NE(log.find(" model=m version=1 "), std::string::npos) << log;
  }
}

TEST(AccessLogTest, IsOffUnlessAskedFor) {
  EXPECT_EQ(LogOf(false,
                  [](TestServer& server) {
                    server.Get("/nothing");
                    server.Get("/v2");
                  }),
            "");
}

}  // namespace
}  // namespace inferd::oip_http
