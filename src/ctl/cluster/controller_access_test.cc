#include "ctl/cluster/controller_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// A user whose controllers have left their kubeconfigs in a folder, but do not listen at their sockets.
class ControllerAccessTest : public testing::Test {
 protected:
  ControllerAccessTest() {
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    setenv("HOME", folder_.path().c_str(), 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("KUBECONFIG");
  }

  void LeaveKubeconfig(const std::string& port) {
    folder_.Write("inferd/controller-" + port + ".kubeconfig",
                  "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:" + port +
                      "', extensions: [{name: serving.inferd.io/local, extension: {unixSocket: /no/such.sock}}]}}]\n"
                      "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                      "users: [{name: u, user: {token: secret}}]\n"
                      "current-context: x\n");
  }

  support::TempDir folder_;
};

TEST_F(ControllerAccessTest, AnotherPlaceStaysAsItIs) {
  LeaveKubeconfig("8079");
  for (const std::string url : {"http://elsewhere.example:8079", "http://127.0.0.1.elsewhere.example:8079"}) {
    const auto access = FindController(url, {});
    ASSERT_TRUE(access.has_value());
    EXPECT_EQ(access->connection.url, url);
    EXPECT_THAT(access->headers, IsEmpty());
  }
}

TEST_F(ControllerAccessTest, APortOfThisMachineIsAskedWithTheTokenOfItsController) {
  LeaveKubeconfig("9079");
  for (const char* const url : {"http://localhost:9079", "http://127.0.0.2:9079", "http://[::1]:9079"}) {
    const auto access = FindController(url, {});
    ASSERT_TRUE(access.has_value());
    EXPECT_EQ(access->connection.url, "https://127.0.0.1:9079");
    EXPECT_THAT(access->headers, ElementsAre(Pair("Authorization", "Bearer secret")));
  }
}

TEST_F(ControllerAccessTest, ATokenOfTheCommandLineGoesFirst) {
  LeaveKubeconfig("9079");
  const auto access =
      FindController("http://127.0.0.1:9079", {.connection = {}, .headers = {{"authorization", "Bearer mine"}}});
  ASSERT_TRUE(access.has_value());
  EXPECT_THAT(access->headers, ElementsAre(Pair("authorization", "Bearer mine")));
}

TEST_F(ControllerAccessTest, APortWithoutAKubeconfigStaysAsItIs) {
  const auto access = FindController("http://127.0.0.1:9079", {});
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->connection.url, "http://127.0.0.1:9079");
  EXPECT_THAT(access->headers, IsEmpty());
}

TEST_F(ControllerAccessTest, ASocketOfTheCommandLineGoesFirst) {
  LeaveKubeconfig("8079");
  ControllerAccess given;
  given.connection.unix_socket = "/run/mine.sock";
  const auto access = FindController("", given);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->connection.url, "http://localhost");
  EXPECT_EQ(access->connection.unix_socket, "/run/mine.sock");
}

TEST_F(ControllerAccessTest, WhereNoControllerServesItSaysHowToStartOne) {
  const auto access = FindController("", {});
  ASSERT_FALSE(access.has_value());
  EXPECT_EQ(access.error().code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(access.error().message()), HasSubstr("inferd-controller --local"));
}

TEST_F(ControllerAccessTest, ABrokenKubeconfigIsNotTakenForNone) {
  folder_.Write("inferd/controller-9079.kubeconfig", "clusters: 7\n");
  const auto access = FindController("http://127.0.0.1:9079", {});
  ASSERT_FALSE(access.has_value());
  EXPECT_EQ(access.error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(access.error().message()), HasSubstr("controller-9079.kubeconfig"));
}

}  // namespace
}  // namespace inferd::ctl
