#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "net/client/dial.h"
#include "net/client/http_client.h"
#include "net/server.h"

// HTTP/2 over real sockets, with a real client.

namespace inferd::net {
namespace {

class EchoHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest request, Reply reply) override {
    HttpResponse response;
    response.headers.emplace_back("X-Http2", request.head.http2 ? "yes" : "no");
    response.body.push_back(request.body);
    reply.Send(std::move(response));
  }
};

class ServerHttp2Test : public ::testing::Test {
 protected:
  ServerHttp2Test() {
    ListenerOptions options;
    options.name = "http";
    options.address = "127.0.0.1";
    options.handlers = [](Loop&) { return std::make_unique<EchoHandler>(); };
    EXPECT_TRUE(server_.Listen(std::move(options)).ok());
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port("http")); }

  LoopGroup loops_{2};
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  Server server_{loops_, Limits(), nullptr, *logger_};
};

TEST_F(ServerHttp2Test, AnswersAClientWithPriorKnowledge) {
  HttpClient::Options options;
  options.url = url();
  options.http2 = true;
  const auto client = HttpClient::Create(std::move(options)).value();
  for (const size_t size : {size_t{0}, size_t{5}, size_t{3'000'000}}) {
    const auto response = client->Call({.method = "POST", .path = "/p", .body = std::string(size, 'x')});
    ASSERT_TRUE(response.has_value()) << response.error().ToString();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->Find("x-http2"), "yes");
    EXPECT_EQ(response->body.size(), size);
  }
}

TEST_F(ServerHttp2Test, UpgradesAPlainRequest) {
  const int fd = Dial(ParseUrl(url()).value(), "").value();
  // The client's preface follows its request at once, as RFC 7540, 3.2 allows after the 101.
  const std::string_view request =
      "GET /p HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
      "HTTP2-Settings: AAMAAABkAARAAAAA\r\n\r\n";
  ASSERT_EQ(::write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  std::string answer;
  char part[1024];
  // Status 200 is in the response's HEADERS by its index in the static table (RFC 7541, A).
  while (answer.find("\x88", answer.find("\r\n\r\n")) == std::string::npos) {
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&readable, 1, 10'000), 1) << answer;
    const ssize_t got = ::read(fd, part, sizeof part);
    ASSERT_GT(got, 0) << answer;
    answer.append(part, static_cast<size_t>(got));
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << answer;
  ::close(fd);
}

}  // namespace
}  // namespace inferd::net
