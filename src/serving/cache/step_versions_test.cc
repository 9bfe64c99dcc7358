#include "serving/cache/step_versions.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "serving/core/model_version.h"

namespace inferd::cache {
namespace {

class StepVersionsTest : public ::testing::Test {
 protected:
  using Steps = std::vector<config::EnsembleStep>;

  // Loads version 1 of a model, with the next generation.
  void Load(const std::string& model, const Steps& steps = {}) {
    auto config = std::make_shared<config::ModelConfig>();
    config->ensemble = std::make_shared<config::Ensemble>(config::Ensemble{.steps = steps});
    versions_[model] = core::ModelVersion::Create({.id = {model, 1},
                                                   .generation = ++generation_,
                                                   .repository = "r",
                                                   .platform = "p",
                                                   .config = config,
                                                   .signature = std::make_shared<core::ModelSignature>(),
                                                   .statistics = std::make_shared<core::VersionStatistics>(),
                                                   .scheduler = nullptr},
                                                  retire_);
    Publish();
  }
  void Unload(const std::string& model) {
    versions_.erase(model);
    Publish();
  }
  void Publish() {
    std::map<std::string, core::CatalogSnapshot::Model> models;
    for (const auto& [name, version] : versions_) {
      models[name].versions.push_back(
          {.version = 1, .serving = version, .state = core::ModelState::kReady, .reason = ""});
    }
    snapshots_.Publish(std::make_shared<const core::CatalogSnapshot>(models));
  }
  static config::EnsembleStep Step(const std::string& model) {
    config::EnsembleStep step;
    step.model = model;
    return step;
  }
  static std::string Text(StepVersions& steps) {
    const auto text = steps.Get();
    return text == nullptr ? "none" : *text;
  }

  base::ThreadPool retire_{"retire", 1};
  core::SnapshotPublisher snapshots_;
  uint64_t generation_ = 0;
  std::map<std::string, std::shared_ptr<const core::ModelVersion>> versions_;
};

TEST_F(StepVersionsTest, AModelWithoutStepsHasNothingToSay) {
  StepVersions steps({}, snapshots_);
  Load("a");
  EXPECT_EQ(Text(steps), "");
}

TEST_F(StepVersionsTest, AReloadOfAStepIsAnotherText) {
  StepVersions steps({Step("a"), Step("b")}, snapshots_);
  Load("a");
  EXPECT_EQ(Text(steps), "none");
  Load("b");
  const std::string first = Text(steps);
  EXPECT_EQ(first, "a:1:1 b:1:2 ");
  Load("other");
  EXPECT_EQ(Text(steps), first);
  Load("a");
  EXPECT_EQ(Text(steps), "a:1:4 b:1:2 ");
  Unload("b");
  EXPECT_EQ(Text(steps), "none");
}

TEST_F(StepVersionsTest, SoIsOneOfAnEnsembleInside) {
  StepVersions steps({Step("inner")}, snapshots_);
  Load("a");
  Load("inner", {Step("a")});
  EXPECT_EQ(Text(steps), "inner:1:2 a:1:1 ");
  Load("a");
  EXPECT_EQ(Text(steps), "inner:1:2 a:1:3 ");
  Unload("a");
  EXPECT_EQ(Text(steps), "none");
}

// Cycles cannot exist, but must not be followed without end.
TEST_F(StepVersionsTest, ACircleSaysNothing) {
  StepVersions steps({Step("a")}, snapshots_);
  Load("a", {Step("b")});
  Load("b", {Step("a")});
  EXPECT_EQ(Text(steps), "none");
}

TEST_F(StepVersionsTest, ModelsThatAStepChoosesFromCountToo) {
  config::EnsembleStep step = Step("a");
  step.choices.push_back({.model = "b", .version = std::nullopt, .weight = 1});
  StepVersions steps({step}, snapshots_);
  Load("a");
  EXPECT_EQ(Text(steps), "none");
  Load("b");
  const std::string first = Text(steps);
  EXPECT_NE(first, "none");
  Load("b");
  EXPECT_NE(Text(steps), first);
}

}  // namespace
}  // namespace inferd::cache
