#include "ctl/validate/trial_server.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace inferd::ctl {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class TrialServerTest : public ::testing::Test {
 protected:
  TrialServerTest() : folder_(::testing::TempDir() + "/trial_server_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~TrialServerTest() override {
    unsetenv("TMPDIR");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
};

TEST_F(TrialServerTest, AProgramThatEndsIsAnErrorWithItsLog) {
  const auto server = TrialServer::Start("/bin/echo", {"--model-repository=here"}, seconds(60));
  ASSERT_FALSE(server.has_value());
  EXPECT_EQ(server.error().code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(server.error().message(), HasSubstr("inferd ended"));
  EXPECT_THAT(server.error().message(), HasSubstr("--tcp=false"));
  EXPECT_THAT(server.error().message(), HasSubstr("--model-repository=here"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "its own folder is deleted";
}

TEST_F(TrialServerTest, AProgramThatIsNotThereIsAnError) {
  EXPECT_FALSE(TrialServer::Start("/no/such/program", {}, seconds(60)).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(TrialServerTest, WithoutAFolderForTemporaryFilesThereIsAnError) {
  setenv("TMPDIR", (folder_ + "/gone").c_str(), 1);
  const auto server = TrialServer::Start("/bin/echo", {}, seconds(60));
  ASSERT_FALSE(server.has_value());
  EXPECT_NE(server.error().code(), base::StatusCode::kUnavailable) << "which would be the model's fault";
}

TEST_F(TrialServerTest, TheOperatorsSocketsAndTokensAreNotItsOwn) {
  const std::string program = folder_ + "/tells";
  std::ofstream(program) << "#!/bin/sh\nenv | grep ^INFERD_\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  setenv("INFERD_GRPC_UNIX_SOCKET", "/run/production", 1);
  setenv("INFERD_ACCESS_TOKEN_FILE", "/run/tokens", 1);
  setenv("INFERD_ALLOW_PICKLE", "all", 1);
  const auto server = TrialServer::Start(program, {}, seconds(60));
  for (const char* name : {"INFERD_GRPC_UNIX_SOCKET", "INFERD_ACCESS_TOKEN_FILE", "INFERD_ALLOW_PICKLE"})
    unsetenv(name);
  ASSERT_FALSE(server.has_value());
  EXPECT_THAT(server.error().message(), HasSubstr("INFERD_ALLOW_PICKLE=all"));
  EXPECT_THAT(server.error().message(), Not(HasSubstr("UNIX_SOCKET")));
  EXPECT_THAT(server.error().message(), Not(HasSubstr("TOKEN")));
}

TEST_F(TrialServerTest, AServerThatDoesNotAnswerInTimeIsEnded) {
  const std::string program = folder_ + "/waits";
  std::ofstream(program) << "#!/bin/sh\nexec sleep 600\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto server = TrialServer::Start(program, {}, seconds(0));
  ASSERT_FALSE(server.has_value());
  EXPECT_EQ(server.error().code(), base::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace inferd::ctl
