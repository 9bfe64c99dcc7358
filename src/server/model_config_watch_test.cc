#include "server/model_config_watch.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/metrics/registry.h"
#include "serving/core/fake_catalog.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

class ModelConfigWatchTest : public ::testing::Test {
 protected:
  void Write(const std::string& models) { dir_.Write("models.config", "model_config_list { " + models + " }"); }
  // Reads the file. Returns the number of models that are now served, or -1 if nothing was replaced.
  int Look() {
    catalog_.served.reset();
    watch_.Look();
    return catalog_.served.has_value() ? static_cast<int>(catalog_.served->size()) : -1;
  }

  const std::string model_ = "config { name: \"m\" base_path: \"/m\" model_platform: \"tensorflow\" }";
  const inferd::support::TempDir dir_;
  const std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  core::FakeCatalog catalog_;
  metrics::Registry registry_;
  const base::FakeClock clock_;
  RequestLogs logs_{registry_, *logger_, clock_};
  ModelConfigWatch watch_{{.config_file = (dir_.path() / "models.config").string()}, {}, {catalog_, logs_, *logger_}};
};

TEST_F(ModelConfigWatchTest, WhatTheFileSaysIsServed) {
  Write("");
  EXPECT_EQ(Look(), -1) << "as it was";
  Write(model_);
  EXPECT_EQ(Look(), 1);
  EXPECT_EQ(Look(), -1);
  Write("");
  EXPECT_EQ(Look(), 0);
}

TEST_F(ModelConfigWatchTest, WhatIsRefusedIsTriedAgain) {
  Write(model_);
  catalog_.control = base::FailedPrecondition("a label");
  EXPECT_EQ(Look(), 1);
  EXPECT_EQ(Look(), 1);
  catalog_.control = base::Status(base::StatusCode::kUnknown, "1 servable(s) did not become available: {m: broken}");
  EXPECT_EQ(Look(), 1);
  EXPECT_EQ(Look(), -1) << "the others serve";
}

TEST_F(ModelConfigWatchTest, AFileWithoutListUnloadsNothing) {
  dir_.Write("models.config", "");
  EXPECT_EQ(Look(), -1) << "as at the start";
  Write(model_);
  EXPECT_EQ(Look(), 1);
  dir_.Write("models.config", "");
  EXPECT_EQ(Look(), -1);
  Write("");
  EXPECT_EQ(Look(), 0) << "an empty list does";
}

TEST_F(ModelConfigWatchTest, ABrokenFileChangesNothing) {
  EXPECT_EQ(Look(), -1) << "there is none";
  Write("config { nam: 1 }");
  EXPECT_EQ(Look(), -1);
}

}  // namespace
}  // namespace inferd::server
