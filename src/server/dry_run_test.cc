#include "server/dry_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/personality.h"

namespace inferd::server {
namespace {

class DryRunTest : public ::testing::Test {
 protected:
  DryRunTest() : folder_(::testing::TempDir() + "/dry_run_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ / "echo" / "1");
    options_.personality = &config::DefaultPersonality();
    options_.repositories = {{.name = "test", .path = folder_}};
  }
  ~DryRunTest() override { std::filesystem::remove_all(folder_); }

  int Run(const std::string& config) {
    std::ofstream(folder_ / "echo" / "config.pbtxt") << config;
    return DryRun(options_, *logger_, out_);
  }

  const std::filesystem::path folder_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  config::ServerOptions options_;
  std::ostringstream out_;
};

TEST_F(DryRunTest, PrintsTheCompletedConfiguration) {
  EXPECT_EQ(Run(R"(backend: "fake" input { name: "IN" data_type: TYPE_INT32 dims: [2] }
                   output { name: "OUT" data_type: TYPE_INT32 dims: [2] })"),
            0)
      << out_.str();
  EXPECT_NE(out_.str().find("instance_group"), std::string::npos) << out_.str();
}

TEST_F(DryRunTest, AProblemIsNamedWithItsPlace) {
  EXPECT_EQ(Run("backend: \"fake\"\nmax_batch_sise: 4\n"), 1);
  EXPECT_NE(out_.str().find("config.pbtxt:2"), std::string::npos) << out_.str();
}

}  // namespace
}  // namespace inferd::server
