#include "net/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "net/server.h"

namespace inferd::net {
namespace {

using ::testing::HasSubstr;

ListenerOptions At(std::string address, uint16_t port) {
  ListenerOptions options;
  options.address = std::move(address);
  options.port = port;
  return options;
}

class ListeningSocketTest : public ::testing::Test {
 protected:
  ListeningSocketTest()
      : path_((std::filesystem::temp_directory_path() / ("inferd-listen-" + std::to_string(getpid()))).string()) {}
  ~ListeningSocketTest() override { std::filesystem::remove(path_); }
  ListenerOptions Unix() const {
    ListenerOptions options;
    options.unix_path = path_;
    return options;
  }

  const std::string path_;
};

TEST_F(ListeningSocketTest, SaysWhichPortItGot) {
  const auto first = OpenListeningSocket(At("127.0.0.1", 0));
  ASSERT_TRUE(first.has_value());
  EXPECT_NE(first->port, 0);
  const auto second = OpenListeningSocket(At("localhost", first->port));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), base::StatusCode::kAlreadyExists);
  EXPECT_THAT(second.error().message(), HasSubstr(std::to_string(first->port) + ": Address already in use"));
}

TEST_F(ListeningSocketTest, RefusesAddressesThatAreNotHere) {
  for (const char* address : {"192.0.2.1", "300.1.1.1", "no such host"}) {
    const auto socket = OpenListeningSocket(At(address, 0));
    ASSERT_FALSE(socket.has_value()) << address;
    EXPECT_EQ(socket.error().code(), base::StatusCode::kInvalidArgument) << socket.error().message();
  }
}

TEST_F(ListeningSocketTest, ReplacesAStaleUnixSocketButNoLiveOneAndNoFile) {
  {
    const auto live = OpenListeningSocket(Unix());
    ASSERT_TRUE(live.has_value());
    const auto second = OpenListeningSocket(Unix());
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code(), base::StatusCode::kAlreadyExists);
  }
  EXPECT_TRUE(std::filesystem::exists(path_)) << "the socket file stays when its process ends";
  EXPECT_TRUE(OpenListeningSocket(Unix()).has_value());
  std::filesystem::remove(path_);
  std::ofstream(path_) << "precious";
  EXPECT_FALSE(OpenListeningSocket(Unix()).has_value());
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(ListeningSocketTest, ASocketOfOwnUsersIsReadAndWrittenByItsOwnerAlone) {
  ListenerOptions options = Unix();
  options.own_users_only = true;
  const auto socket = OpenListeningSocket(options);
  ASSERT_TRUE(socket.has_value());
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
}

// Returns what the server at the socket answers a process of another user. The socket's mode lets that user connect.
std::string AnswerOfAnother(const std::string& path, uid_t user) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    std::array<char, 4096> answer{};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const bool sent = setresuid(user, user, user) == 0 &&
                      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                      send(fd, kGet.data(), kGet.size(), MSG_NOSIGNAL) >= 0;
    const ssize_t size = sent ? recv(fd, answer.data(), answer.size(), 0) : 0;
    if (size > 0 && write(pipe[1], answer.data(), static_cast<size_t>(size)) != size) _exit(1);
    _exit(0);
  }
  close(pipe[1]);
  std::array<char, 4096> answer{};
  const ssize_t size = read(pipe[0], answer.data(), answer.size());
  close(pipe[0]);
  waitpid(child, nullptr, 0);
  return {answer.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

TEST_F(ListeningSocketTest, ASocketOfOwnUsersClosesConnectionsOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be another user";
  class Handler final : public HttpHandler {
   public:
    BodyPlan OnHead(const RequestHead&) override { return {}; }
    void OnRequest(HttpRequest, Reply reply) override { reply.Send(HttpResponse::Text(200, "text/plain", "hello")); }
  };
  const std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  LoopGroup loops{1};
  Server server{loops, Limits(), nullptr, *logger};
  ListenerOptions options = Unix();
  options.own_users_only = true;
  options.handlers = [](Loop&) { return std::make_unique<Handler>(); };
  ASSERT_TRUE(server.Listen(std::move(options)).ok());
  std::filesystem::permissions(path_, std::filesystem::perms::all);
  EXPECT_THAT(AnswerOfAnother(path_, 0), HasSubstr("hello"));
  EXPECT_EQ(AnswerOfAnother(path_, 4242), "");
}

TEST_F(ListeningSocketTest, AUnixPathIsLimited) {
  ListenerOptions options;
  options.unix_path = "/tmp/" + std::string(200, 'x');
  const auto socket = OpenListeningSocket(options);
  ASSERT_FALSE(socket.has_value());
  EXPECT_THAT(socket.error().message(), HasSubstr("too long for a Unix socket"));
}

}  // namespace
}  // namespace inferd::net
