#include "kserve/kubernetes/access/local_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/system/file_descriptor.h"
#include "storage/source/fake_environment.h"
#include "tests/support/temp_dir.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;
using storage::FakeEnvironment;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LocalAccessTest, FoldersFollowTheDirectoriesOfXdg) {
  EXPECT_THAT(LocalFolders(FakeEnvironment({{"XDG_RUNTIME_DIR", "/run/user/7"}, {"HOME", "/home/me"}})),
              ElementsAre("/run/user/7/inferd", "/home/me/.local/state/inferd"));
  EXPECT_THAT(LocalFolders(FakeEnvironment({{"XDG_STATE_HOME", "/state"}, {"HOME", "/home/me"}})),
              ElementsAre("/state/inferd"));
  EXPECT_THAT(LocalFolders(FakeEnvironment({})), IsEmpty());
  EXPECT_THAT(LocalFolders(FakeEnvironment({{"XDG_RUNTIME_DIR", "relative"}})), IsEmpty());
}

class LocalControllersTest : public ::testing::Test {
 protected:
  // Writes the files of a controller, without a process that listens at the socket.
  LocalFiles Leave(uint16_t port) {
    LocalFiles files = LocalFilesIn(folder_.path() / "inferd", port);
    const std::string number = std::to_string(port);
    folder_.Write("inferd/controller-" + number + ".kubeconfig", R"(
clusters:
- name: c
  cluster:
    server: http://127.0.0.1:)" + number + R"(
    extensions:
    - {name: another, extension: [1]}
    - {name: serving.inferd.io/local, extension: {unixSocket: )" + files.socket +
                                                                     R"(}}
contexts: [{name: x, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
current-context: x
)");
    return files;
  }

  LocalFiles Serve(uint16_t port) {
    LocalFiles files = Leave(port);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    files.socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
    base::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(socket.get(), 8), 0);
    sockets_.push_back(std::move(socket));
    return files;
  }

  // Returns the server that is found, or else the error.
  std::string InUse(const std::string& kubeconfig = "") {
    const auto found = FindLocalAccessInUse(
        8079, FakeEnvironment({{"XDG_RUNTIME_DIR", folder_.path().string()}, {"KUBECONFIG", kubeconfig}}));
    return found.has_value() ? found->server : std::string(found.error().message());
  }

  support::TempDir folder_;
  std::vector<base::FileDescriptor> sockets_;
};

TEST_F(LocalControllersTest, APortHasItsController) {
  const LocalFiles files = Leave(4242);
  const storage::Environment environment = FakeEnvironment({{"XDG_RUNTIME_DIR", folder_.path().string()}});
  const auto found = FindLocalAccess(4242, environment);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->unix_socket, files.socket);
  EXPECT_EQ(found->user.token, "t");
  EXPECT_EQ(FindLocalAccess(4243, environment).error().code(), StatusCode::kNotFound);
}

TEST_F(LocalControllersTest, TheOneThatServesIsFound) {
  EXPECT_THAT(InUse(), HasSubstr("no inferd-controller"));
  Leave(8079);
  EXPECT_THAT(InUse(), HasSubstr("no inferd-controller")) << "it has left its files behind";
  Serve(1);
  EXPECT_EQ(InUse(), "http://127.0.0.1:1");
  Serve(2);
  EXPECT_THAT(InUse(), AllOf(HasSubstr("several"), HasSubstr("http://127.0.0.1:1, http://127.0.0.1:2")));
  Serve(8079);
  EXPECT_EQ(InUse(), "http://127.0.0.1:8079");
}

TEST_F(LocalControllersTest, TheVariableNamesOneButLeadsToNoCluster) {
  Serve(8079);
  const LocalFiles other = Leave(2);
  EXPECT_EQ(InUse(other.kubeconfig), "http://127.0.0.1:2");
  folder_.Write("cluster", R"(
clusters: [{name: c, cluster: {server: "https://production"}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
)");
  EXPECT_EQ(InUse((folder_.path() / "cluster").string()), "http://127.0.0.1:8079");
}

TEST_F(LocalControllersTest, AFileWithAFaultIsNamed) {
  folder_.Write("inferd/controller-8079.kubeconfig", "clusters: 1");
  EXPECT_THAT(InUse(), HasSubstr("controller-8079.kubeconfig:1:11: clusters: must be a list"));
}

}  // namespace
}  // namespace inferd::kubernetes
