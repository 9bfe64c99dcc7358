#include "net/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/file_descriptor.h"

namespace inferd::net {
namespace {

class EchoHandler final : public HttpHandler {
 public:
  BodyPlan OnHead(const RequestHead&) override { return {}; }
  void OnRequest(HttpRequest request, Reply reply) override {
    HttpResponse response;
    response.body.push_back(request.body);
    reply.Send(std::move(response));
  }
};

TEST(ServerTest, EchoesABody) {
  LoopGroup loops(2);
  const auto logger = base::Logger::Silent();
  Server server(loops, Limits(), nullptr, *logger);
  ListenerOptions options;
  options.name = "http";
  options.address = "127.0.0.1";
  options.handlers = [](Loop&) { return std::make_unique<EchoHandler>(); };
  ASSERT_TRUE(server.Listen(std::move(options)).ok());
  const FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port("http"));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  const std::string_view request = "POST /v2/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
  ASSERT_EQ(send(fd.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  while (!answer.ends_with("hello")) {
    std::array<char, 1024> part;
    const ssize_t got = recv(fd.get(), part.data(), part.size(), 0);
    ASSERT_GT(got, 0);
    answer.append(part.data(), static_cast<size_t>(got));
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
}

}  // namespace
}  // namespace inferd::net
