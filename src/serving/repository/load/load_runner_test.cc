#include "serving/repository/load/load_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;

// Records the events until a load is done.
class Listener final : public LoadListener {
 public:
  bool Stopping() const override { return stopping; }
  void LoadEnded(const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded) override {
    told.push_back("ended " + id.name);
    if (!loaded.has_value()) error = loaded.error();
  }
  void LoadGone(const LoadMetrics::Version& load) override {
    told.push_back("gone " + load.id.name);
    if (on_gone) on_gone();
  }
  void LoadDone() override {
    told.push_back("done");
    done.set_value();
  }

  bool stopping = false;
  std::function<void()> on_gone;
  std::vector<std::string> told;
  base::Status error;
  std::promise<void> done;
};

class LoadRunnerTest : public ::testing::Test {
 protected:
  void Run(std::shared_ptr<const void> files = nullptr) {
    LoadJob job;
    job.id = {"m", 1};
    job.config_json = R"({"backend": "none"})";
    job.keep_alive = std::move(files);
    runner_.Start(std::move(job));
    listener_.done.get_future().wait();
  }

  base::SystemClock clock_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  metrics::Registry registry_;
  LoadMetrics metrics_{registry_, false};
  const Loader loader_{{},
                       {.engines = {},
                        .scheduler_factory = {},
                        .recorded_warmups = nullptr,
                        .group_cores = nullptr,
                        .clock = clock_,
                        .metrics = metrics_}};
  Listener listener_;
  base::ThreadPool retire_pool_{"retire", 1};
  std::unique_ptr<base::ThreadPool> load_pool_ = std::make_unique<base::ThreadPool>("load", 1);
  LoadRunner runner_{loader_, metrics_, clock_, *logger_, *load_pool_, retire_pool_, listener_};
};

TEST_F(LoadRunnerTest, WhatAFailedLoadMadeIsGoneBeforeItIsDone) {
  const auto files = std::make_shared<int>();
  const std::weak_ptr<int> watched = files;
  Run(files);
  EXPECT_FALSE(listener_.error.ok());
  EXPECT_THAT(listener_.told, ElementsAre("ended m", "gone m", "done"));
  EXPECT_EQ(watched.use_count(), 1) << "its files are let go of";
  EXPECT_THAT(registry_.PrometheusText(), ::testing::HasSubstr("model=\"m\""));
}

TEST_F(LoadRunnerTest, AtTheEndNothingIsLoadedAnyMore) {
  listener_.stopping = true;
  Run();
  EXPECT_EQ(listener_.error, base::Unavailable("the server is shutting down"));
  EXPECT_THAT(listener_.told, ElementsAre("ended m", "gone m", "done"));
  EXPECT_THAT(registry_.PrometheusText(), ::testing::Not(::testing::HasSubstr("model=\"m\"")));
}

// A manager that shuts down waits for LoadGone(), and then ends its pools.
TEST_F(LoadRunnerTest, NoPoolIsAskedOnceALoadIsGone) {
  listener_.on_gone = [this] { load_pool_.reset(); };
  Run();
  EXPECT_THAT(listener_.told, ElementsAre("ended m", "gone m", "done"));
}

}  // namespace
}  // namespace inferd::repository
