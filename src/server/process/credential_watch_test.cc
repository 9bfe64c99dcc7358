#include "server/process/credential_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace inferd::server {
namespace {

class CredentialWatchTest : public ::testing::Test {
 protected:
  CredentialWatchTest() : path_(::testing::TempDir() + "/cert_" + std::to_string(getpid())) {
    Write("one");
    options_.http.tls.certificate_file = path_;
  }
  ~CredentialWatchTest() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  const std::string path_;
  config::ServerOptions options_;
};

TEST_F(CredentialWatchTest, NoticesAReplacedFileOnce) {
  CredentialWatch watch(options_);
  EXPECT_FALSE(watch.Changed());
  Write("longer");
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

TEST_F(CredentialWatchTest, AFileThatIsGoneHasNotChangedUntilItIsBack) {
  CredentialWatch watch(options_);
  std::filesystem::remove(path_);
  EXPECT_FALSE(watch.Changed());
  Write("another one");
  EXPECT_TRUE(watch.Changed());
}

TEST_F(CredentialWatchTest, LooksAtTokensToo) {
  config::ServerOptions options;
  options.access.token_rules = {{.groups = {}, .file = path_}};
  CredentialWatch watch(options);
  EXPECT_FALSE(watch.Changed());
  Write("longer");
  EXPECT_TRUE(watch.Changed());
}

TEST(CredentialWatchNoTlsTest, WatchesNothing) { EXPECT_FALSE(CredentialWatch({}).Changed()); }

}  // namespace
}  // namespace inferd::server
