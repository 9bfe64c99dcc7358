// A seventh front-end beside the server's own: one folder, and one line in ToyAndAllOthers.
#include "tests/frontends/toy/front_end.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "config/personality.h"
#include "net/client/http_client.h"
#include "server/inference_server.h"

namespace inferd::toy {
namespace {

constexpr char kConfig[] = R"(
  backend: "fake"
  max_batch_size: 8
  input { name: "IN" data_type: TYPE_INT32 dims: [2] }
  output { name: "OUT" data_type: TYPE_INT32 dims: [2] }
)";

protocol::FrontEnds ToyAndAllOthers(const protocol::Settings& settings) {
  protocol::FrontEnds front_ends = server::MakeFrontEnds(settings);
  front_ends.insert(front_ends.begin(), MakeFrontEnd(settings));
  return front_ends;
}

std::string BytesOf(std::initializer_list<int32_t> values) {
  std::string bytes(values.size() * sizeof(int32_t), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

class ToyTest : public ::testing::Test {
 protected:
  ToyTest() : folder_(::testing::TempDir() + "/toy_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ / "echo" / "1");
    std::ofstream(folder_ / "echo" / "config.pbtxt") << kConfig;
    options_.personality = &config::DefaultPersonality();
    options_.repositories = {{.name = "test", .path = folder_}};
    options_.http = {.address = "127.0.0.1", .port = 0};
    options_.grpc = {.address = "127.0.0.1", .port = 0};
    options_.limits.body_bytes_max = 1000;
    options_.drain_grace = std::chrono::milliseconds(0);
  }
  ~ToyTest() override { std::filesystem::remove_all(folder_); }

  void Start() {
    auto started = server::InferenceServer::Start(options_, *logger_, ToyAndAllOthers);
    ASSERT_TRUE(started.has_value()) << started.error().ToString();
    server_ = *std::move(started);
    while (!server_->ready()) {
      ASSERT_EQ(server_->StartupFailure(), "");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  net::ClientResponse Call(const net::ClientRequest& request, std::string_view listener = "http",
                           net::HttpClient::Options client_options = {}) {
    client_options.url = "http://127.0.0.1:" + std::to_string(server_->port(listener));
    const auto client = net::HttpClient::Create(client_options);
    auto response = (*client)->Call(request);
    EXPECT_TRUE(response.has_value()) << response.error().ToString();
    return response.value_or(net::ClientResponse{});
  }
  net::ClientResponse Post(const std::string& path, std::string body) {
    return Call({.method = "POST", .path = path, .headers = {}, .body = std::move(body)});
  }
  static std::string StatusOf(const net::ClientResponse& response) {
    return std::string(response.Find("Toy-Status").value_or("(none)"));
  }

  const std::filesystem::path folder_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  config::ServerOptions options_;
  std::unique_ptr<server::InferenceServer> server_;
};

TEST_F(ToyTest, AnInferenceIsAnswered) {
  Start();
  const net::ClientResponse answer = Post("/toy/echo", BytesOf({7, 8}));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, BytesOf({7, 8}));
  EXPECT_EQ(StatusOf(answer), "OK");
  EXPECT_EQ(Call({.path = "/v2/models/echo"}).status, 200) << "the others are there as before";
  EXPECT_EQ(Call({.path = "/v1/models/echo"}).status, 200);
}

TEST_F(ToyTest, ErrorsAndTheTransportsRefusalsHaveItsForm) {
  Start();
  const net::ClientResponse unknown = Post("/toy/none", BytesOf({7, 8}));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(StatusOf(unknown), "NOT_FOUND");
  const net::ClientResponse large = Post("/toy/echo", std::string(2000, 'x'));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(StatusOf(large), "refused");
  EXPECT_EQ(large.body, "request body too large");
  const net::ClientResponse other = Post("/v2/models/echo/infer", std::string(2000, 'x'));
  EXPECT_EQ(other.status, 413);
  EXPECT_EQ(StatusOf(other), "(none)");
  EXPECT_EQ(other.body, R"({"error":"request body too large"})");
}

TEST_F(ToyTest, ItsEndpointsAreRestrictedWithTheirGroups) {
  options_.access.http_rules = {{.groups = {config::EndpointGroup::kInference}, .header = "key", .value = "secret"}};
  options_.access.grpc_rules = {{.groups = {config::EndpointGroup::kTrace}, .header = "key", .value = "secret"}};
  Start();
  EXPECT_EQ(Post("/toy/echo", BytesOf({7, 8})).status, 403);
  EXPECT_EQ(
      Call({.method = "POST", .path = "/toy/echo", .headers = {{"key", "secret"}}, .body = BytesOf({7, 8})}).status,
      200);
  const std::string message("\0\0\0\0\2hi", 7);
  net::ClientRequest call{.method = "POST",
                          .path = "/toy.Toy/Echo",
                          .headers = {{"Content-Type", "application/grpc-web"}},
                          .body = message};
  EXPECT_FALSE(Call(call, "grpc").body.starts_with(message));
  call.headers.emplace_back("key", "secret");
  EXPECT_TRUE(Call(call, "grpc").body.starts_with(message)) << "answered over gRPC-Web";
}

TEST_F(ToyTest, ItsProbesAreAnsweredBeyondTheLimitOfConnections) {
  options_.limits.connections_max = 1;
  Start();
  const std::string url = "http://127.0.0.1:" + std::to_string(server_->port("http"));
  const auto first = net::HttpClient::Create({.url = url});
  ASSERT_EQ((*first)->Call({.path = "/toy"})->body, "alive");  // and stays open
  EXPECT_EQ(Call({.path = "/toy"}).body, "alive");
  const net::ClientResponse refused = Post("/toy/echo", BytesOf({7, 8}));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(StatusOf(refused), "refused");
}

}  // namespace
}  // namespace inferd::toy
