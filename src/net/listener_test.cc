#include "net/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST_F(ListeningSocketTest, AUnixPathIsLimited) {
  ListenerOptions options;
  options.unix_path = "/tmp/" + std::string(200, 'x');
  const auto socket = OpenListeningSocket(options);
  ASSERT_FALSE(socket.has_value());
  EXPECT_THAT(socket.error().message(), HasSubstr("too long for a Unix socket"));
}

}  // namespace
}  // namespace inferd::net
