#include "server/inference_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/system/file_descriptor.h"
#include "config/personality.h"
#include "net/client/http_client.h"
#include "tests/support/certificates.h"

namespace inferd::server {
namespace {

constexpr char kConfig[] = R"(
  backend: "fake"
  max_batch_size: 8
  input { name: "IN" data_type: TYPE_INT32 dims: [2] }
  output { name: "OUT" data_type: TYPE_INT32 dims: [2] }
)";
constexpr int kServing = 1;  // grpc.health.v1
constexpr char kRequest[] = R"({"inputs":[{"name":"IN","datatype":"INT32","shape":[1,2],"data":[7,8]}]})";

// A server for one model of the fake engine.
class InferenceServerTest : public ::testing::Test {
 protected:
  InferenceServerTest() : folder_(::testing::TempDir() + "/server_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ / "echo" / "1");
    std::ofstream(folder_ / "echo" / "config.pbtxt") << kConfig;
    options_.personality = &config::DefaultPersonality();
    options_.repositories = {{.name = "test", .path = folder_}};
    options_.http = {.address = "127.0.0.1", .port = 0};
    options_.grpc = {.address = "127.0.0.1", .port = 0};
    options_.metrics = {.address = "127.0.0.1", .port = 0};
    options_.loop_threads = 2;
    options_.drain_grace = std::chrono::milliseconds(0);
  }
  ~InferenceServerTest() override { std::filesystem::remove_all(folder_); }

  base::Result<std::unique_ptr<InferenceServer>> Start() { return InferenceServer::Start(options_, *logger_); }

  static net::ClientResponse Call(const InferenceServer& server, const net::ClientRequest& request,
                                  std::string_view listener = "http") {
    auto client = net::HttpClient::Create({.url = "http://127.0.0.1:" + std::to_string(server.port(listener))});
    auto response = (*client)->Call(request);
    EXPECT_TRUE(response.has_value()) << response.error().ToString();
    return response.value_or(net::ClientResponse{});
  }

  // Checks the health over gRPC. Returns the state, or -1 without an answer.
  static int CheckHealth(const net::HttpClient::Options& options) {
    auto client = net::HttpClient::Create(options);
    const auto answer = (*client)->Call({.method = "POST",
                                         .path = "/grpc.health.v1.Health/Check",
                                         .headers = {{"Content-Type", "application/grpc"}, {"TE", "trailers"}},
                                         .body = std::string(5, '\0')});
    EXPECT_TRUE(answer.has_value()) << answer.error().ToString();
    const bool answers = answer.has_value() && answer->status == 200 && answer->body.size() == 7;
    return answers ? answer->body.back() : -1;
  }
  static std::string Url(const InferenceServer& server, std::string_view listener, std::string_view scheme = "http") {
    return std::string(scheme) + "://127.0.0.1:" + std::to_string(server.port(listener));
  }

  static void AwaitReady(const InferenceServer& server) {
    for (int i = 0; i < 2000 && Call(server, {.path = "/v2/health/ready"}).status != 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  const std::filesystem::path folder_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  config::ServerOptions options_;
};

TEST_F(InferenceServerTest, ServesAModelFromItsFolderToTheWire) {
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  EXPECT_EQ(Call(**server, {.path = "/v2/health/live"}).status, 200);
  AwaitReady(**server);
  const auto answer = Call(**server, {.method = "POST", .path = "/v2/models/echo/infer", .body = kRequest});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_NE(answer.body.find(R"("data":[7,8])"), std::string::npos) << answer.body;
  EXPECT_EQ((*server)->Drain(), InferenceServer::Drained::kWhole);
}

TEST_F(InferenceServerTest, OneThatIsToEndForAModelThatFailedDoesNotOpen) {
  std::filesystem::create_directories(folder_ / "broken" / "1");
  std::ofstream(folder_ / "broken" / "config.pbtxt") << "max_batch_size: -1";
  options_.accept = config::AcceptWhen::kTried;
  for (const bool ends : {true, false}) {
    options_.exit_on_error = ends;
    auto server = Start();
    ASSERT_TRUE(server.has_value()) << server.error().ToString();
    while (!(*server)->StartupTried()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NE((*server)->StartupFailure(), "");
    EXPECT_EQ((*server)->OpenWhenDue().value(), !ends);
  }
}

TEST_F(InferenceServerTest, TheMetricsPortServesMetricsAndHealthAlone) {
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  EXPECT_EQ(Call(**server, {.method = "POST", .path = "/v2/models/echo/infer", .body = kRequest}).status, 200);
  const auto page = Call(**server, {.path = "/metrics"}, "metrics");
  EXPECT_NE(page.body.find("nv_inference_request_success{model=\"echo\",version=\"1\"} 1"), std::string::npos)
      << page.body;
  EXPECT_NE(page.body.find("process_cpu_seconds_total"), std::string::npos);
  EXPECT_EQ(Call(**server, {.path = "/v2/health/ready"}, "metrics").status, 200);
  EXPECT_EQ(Call(**server, {.path = "/v2/models/echo"}, "metrics").status, 404);
}

// Idle loops must not keep a snapshot pinned.
TEST_F(InferenceServerTest, UnloadFinishesThoughOtherLoopsAreIdle) {
  options_.loop_threads = 4;
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Call(**server, {.method = "POST", .path = "/v2/models/echo/infer", .body = kRequest}).status, 200);
  }
  EXPECT_EQ(Call(**server, {.method = "POST", .path = "/v2/repository/models/echo/unload"}).status, 200);
  std::string index;
  for (int i = 0; i < 2000 && index.find("\"UNAVAILABLE\"") == std::string::npos; ++i) {
    index = Call(**server, {.method = "POST", .path = "/v2/repository/index"}).body;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_NE(index.find("\"UNAVAILABLE\",\"reason\":\"unloaded\""), std::string::npos) << index;
}

TEST_F(InferenceServerTest, SaysWhichInitialModelCannotComeUp) {
  std::filesystem::create_directories(folder_ / "broken" / "1");
  std::ofstream(folder_ / "broken" / "config.pbtxt") << "backend: \"fake\" no_such_field: 1";
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  std::string failure;
  for (int i = 0; i < 2000 && failure.empty(); ++i) {
    failure = (*server)->StartupFailure();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(failure.starts_with("model 'broken': ")) << failure;
  EXPECT_NE(failure.find("no_such_field"), std::string::npos) << failure;
}

TEST_F(InferenceServerTest, APortInUseIsAnError) {
  auto first = Start();
  ASSERT_TRUE(first.has_value());
  options_.http.port = (*first)->port("http");
  auto second = Start();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), base::StatusCode::kAlreadyExists);
  EXPECT_TRUE(second.error().message().starts_with("--http-port: cannot listen on 127.0.0.1:"))
      << second.error().message();
}

TEST_F(InferenceServerTest, AUnixSocketThatCannotBeIsAnError) {
  options_.http.unix_socket = "/dev/null/socket";
  const auto server = Start();
  ASSERT_FALSE(server.has_value());
  EXPECT_TRUE(server.error().message().starts_with("--http-unix-socket: cannot listen on /dev/null/socket"))
      << server.error().message();
}

TEST_F(InferenceServerTest, AUnixSocketServesWhatThePortDoes) {
  options_.http.unix_socket = folder_ / "socket";
  options_.http.enabled = false;
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  const base::FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  options_.http.unix_socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  constexpr std::string_view kLive = "GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_EQ(send(fd.get(), kLive.data(), kLive.size(), 0), static_cast<ssize_t>(kLive.size()));
  std::array<char, 12> answer;
  ASSERT_EQ(recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL), 12);
  EXPECT_EQ(std::string_view(answer.data(), answer.size()), "HTTP/1.1 200");
}

TEST_F(InferenceServerTest, ServesGrpcOnBothPortsAndOnUnixSockets) {
  options_.http.unix_socket = folder_ / "http.socket";
  options_.grpc.unix_socket = folder_ / "grpc.socket";
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  EXPECT_EQ(CheckHealth({.url = Url(**server, "grpc"), .http2 = true}), kServing);
  EXPECT_EQ(CheckHealth({.url = Url(**server, "http"), .http2 = true}), kServing);
  EXPECT_EQ(CheckHealth({.url = "http://a", .unix_socket = options_.grpc.unix_socket, .http2 = true}), kServing);
  EXPECT_EQ(CheckHealth({.url = "http://a", .unix_socket = options_.http.unix_socket, .http2 = true}), kServing);
  EXPECT_EQ(Call(**server, {.path = "/v2"}, "grpc").status, 415);
  EXPECT_EQ(Call(**server, {.path = "/v2"}, "http").status, 200);
  EXPECT_EQ((*server)->Drain(), InferenceServer::Drained::kWhole);
}

TEST_F(InferenceServerTest, TheHttpPortMayBeHttpsAlone) {
  options_.grpc_calls.on_http_port = false;
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  const net::ClientRequest call{.path = "/grpc.health.v1.Health/Check",
                                .headers = {{"Content-Type", "application/grpc"}}};
  EXPECT_EQ(Call(**server, call, "http").status, 404);
  EXPECT_EQ(Call(**server, call, "grpc").status, 405);
  EXPECT_EQ(CheckHealth({.url = Url(**server, "grpc"), .http2 = true}), kServing);
}

TEST_F(InferenceServerTest, WithoutAGrpcPortThereIsStillTheOther) {
  options_.grpc.enabled = false;
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  EXPECT_EQ((*server)->port("grpc"), 0);
  EXPECT_EQ(CheckHealth({.url = Url(**server, "http"), .http2 = true}), kServing);
}

TEST_F(InferenceServerTest, GrpcOverTlsAsksForTheClientsCertificate) {
  ::inferd::support::CertificateAuthority authority;
  const std::string server_file = folder_ / "server";
  const std::string client_file = folder_ / "client";
  authority.Issue("server", server_file);
  authority.Issue("client", client_file);
  authority.Write(folder_ / "ca.pem");
  options_.grpc.tls = {
      .certificate_file = server_file + ".pem", .key_file = server_file + ".key", .client_ca_file = folder_ / "ca.pem"};
  auto server = Start();
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  AwaitReady(**server);
  net::HttpClient::Options client{.url = Url(**server, "grpc", "https"), .http2 = true, .ca_file = folder_ / "ca.pem"};
  client.certificate_file = client_file + ".pem";
  client.key_file = client_file + ".key";
  EXPECT_EQ(CheckHealth(client), kServing);
  client.certificate_file.clear();
  client.key_file.clear();
  EXPECT_FALSE((*net::HttpClient::Create(client))->Call({.path = "/v2"}).has_value());
}

TEST_F(InferenceServerTest, AnEngineFolderThatIsNotThereIsAnError) {
  options_.engine_directory = "/dev/null/engines";
  ASSERT_FALSE(Start().has_value());
}

}  // namespace
}  // namespace inferd::server
