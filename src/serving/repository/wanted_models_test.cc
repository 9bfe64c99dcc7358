#include "serving/repository/wanted_models.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::repository {
namespace {

using config::ControlMode;

class WantedModelsTest : public ::testing::Test {
 protected:
  WantedModels Make() {
    return {options_,
            ManagerServices{.snapshots = snapshots_,
                            .engines = {},
                            .scheduler_factory = {},
                            .clock = clock_,
                            .logger = *logger_,
                            .metrics = registry_},
            loader_};
  }
  static ModelLook LookAt(const std::string& model, bool has_version = true) {
    ModelLook look;
    look.name = model;
    look.model_dir = "/models/" + model;
    if (!has_version) return look;
    look.layout.versions[1] = {};
    look.version_dirs[1] = look.model_dir / "1";
    look.settled = {1};
    return look;
  }

  base::FakeClock clock_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry registry_;
  core::SnapshotPublisher snapshots_;
  ManagerOptions options_;
  LoadMetrics load_metrics_{registry_, false};
  const Loader loader_{options_.completion,
                       {.engines = {},
                        .scheduler_factory = {},
                        .recorded_warmups = {},
                        .group_cores = {},
                        .clock = clock_,
                        .metrics = load_metrics_}};
  ProblemLog problems_;
  ModelRecord record_;
};

TEST_F(WantedModelsTest, WhatTheFoldersSayGoesWithTheControl) {
  options_.control = ControlMode::kPoll;
  EXPECT_TRUE(Make().FromFolder("m", false));
  options_.control = ControlMode::kNone;
  EXPECT_TRUE(Make().FromFolder("m", true));
  EXPECT_FALSE(Make().FromFolder("m", false));
  options_.control = ControlMode::kExplicit;
  options_.startup_models = {"m"};
  EXPECT_TRUE(Make().FromFolder("m", true));
  EXPECT_FALSE(Make().FromFolder("m", false));
  EXPECT_FALSE(Make().FromFolder("n", true));
  options_.startup_models = {"*"};
  EXPECT_TRUE(Make().FromFolder("n", true));
}

TEST_F(WantedModelsTest, WhatIsPinnedIsNotLoadedOnDemand) {
  options_.lazy.enabled = true;
  options_.lazy.pinned_models = {"listed"};
  Make().WantWhatIsThere(LookAt("m"), record_, problems_);
  EXPECT_TRUE(record_.on_demand);
  EXPECT_TRUE(record_.wanted.contains(1));
  Make().WantWhatIsThere(LookAt("listed"), record_, problems_);
  EXPECT_FALSE(record_.on_demand);
  ModelLook says = LookAt("m");
  says.rules.pinned = true;
  Make().WantWhatIsThere(says, record_, problems_);
  EXPECT_FALSE(record_.on_demand);
}

TEST_F(WantedModelsTest, WhereNothingIsWantedTheRecordSaysWhy) {
  Make().WantWhatIsThere(LookAt("m", false), record_, problems_);
  EXPECT_TRUE(record_.wanted.empty());
  EXPECT_FALSE(record_.problem.empty());
  Make().WantWhatIsThere(LookAt("m"), record_, problems_);
  EXPECT_TRUE(record_.problem.empty());
}

TEST_F(WantedModelsTest, WhileTheFolderChangesLabelsStay) {
  record_.labels = {{"stable", 1}};
  ModelLook look = LookAt("m");
  look.changing = true;
  Make().WantWhatIsThere(look, record_, problems_);
  EXPECT_EQ(record_.labels.size(), 1u);
  look.changing = false;
  Make().WantWhatIsThere(look, record_, problems_);
  EXPECT_TRUE(record_.labels.empty());
}

}  // namespace
}  // namespace inferd::repository
