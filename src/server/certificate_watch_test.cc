#include "server/certificate_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace inferd::server {
namespace {

class CertificateWatchTest : public testing::Test {
 protected:
  CertificateWatchTest() : path_(testing::TempDir() + "/cert_" + std::to_string(getpid())) {
    Write("one");
    options_.http.tls.certificate_file = path_;
  }
  ~CertificateWatchTest() override { std::filesystem::remove(path_); }
  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  const std::string path_;
  config::ServerOptions options_;
};

TEST_F(CertificateWatchTest, NoticesAReplacedFileOnce) {
  CertificateWatch watch(options_);
  EXPECT_FALSE(watch.Changed());
  Write("longer");
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

TEST_F(CertificateWatchTest, AFileThatIsGoneHasNotChangedUntilItIsBack) {
  CertificateWatch watch(options_);
  std::filesystem::remove(path_);
  EXPECT_FALSE(watch.Changed());
  Write("another one");
  EXPECT_TRUE(watch.Changed());
}

TEST(CertificateWatchNoTlsTest, WatchesNothing) { EXPECT_FALSE(CertificateWatch({}).Changed()); }

}  // namespace
}  // namespace inferd::server
