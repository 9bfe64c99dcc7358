#include <gtest/gtest.h>

#include "serving/repository/manager_fixture.h"
#include "tests/support/allocated_bytes.h"

namespace inferd::repository {
namespace {

// Counts the records that steps touch beside many models that nothing loads. (bench/many_models measures the time.)
class TouchedRecordsTest : public ManagerTest {
 protected:
  static constexpr int kFew = 3;
  static constexpr int kMany = 300;

  void StartBeside(int models) {
    for (int i = 0; i < models; ++i) AddVersion("other_" + std::to_string(i), 1);
    AddVersion("m", 1);
    options_.lazy.enabled = options_.control == config::ControlMode::kPoll;
    Start();
    Look();
  }
  template <typename Step>
  uint64_t TouchedBy(Step&& step) {
    const uint64_t before = manager_->RecordsTouched();
    step();
    manager_->WaitIdle();
    return manager_->RecordsTouched() - before;
  }
  void LoadForARequest() {
    std::promise<void> answer;
    manager_->Demand({.model = "m",
                      .version = "",
                      .deadline_ns = 0,
                      .cancel = nullptr,
                      .done = [&answer](const core::LoadOutcome& outcome) {
                        EXPECT_TRUE(outcome.status.ok());
                        answer.set_value();
                      }});
    answer.get_future().wait();
  }
};

using CallsTouchTest = TouchedRecordsTest;
using LooksTouchTest = TouchedRecordsTest;

TEST_F(CallsTouchTest, AsManyRecordsBesideManyModelsAsBesideFew) {
  options_.control = config::ControlMode::kExplicit;
  uint64_t load[2] = {};
  uint64_t unload[2] = {};
  const int beside[2] = {kFew, kMany};
  for (int i = 0; i < 2; ++i) {
    StartBeside(beside[i]);
    load[i] = TouchedBy([this] { EXPECT_TRUE(Load("m").ok()); });
    unload[i] = TouchedBy([this] { EXPECT_TRUE(Unload("m").ok()); });
    EXPECT_EQ(TouchedBy([this] { Look(); }), 0u) << "nothing is new";
    AddVersion("new_" + std::to_string(i), 1);
    EXPECT_EQ(TouchedBy([this] { Look(); }), 1u);
    dir_.Remove("new_" + std::to_string(i));
    EXPECT_LE(TouchedBy([this] { Look(); }), 2u);
    manager_->Shutdown();
  }
  EXPECT_EQ(load[0], load[1]);
  EXPECT_EQ(unload[0], unload[1]);
  EXPECT_LT(load[1], 10u);
}

TEST_F(LooksTouchTest, AsManyRecordsBesideManyModelsAsBesideFew) {
  uint64_t request[2] = {};
  uint64_t reload[2] = {};
  const int beside[2] = {kFew, kMany};
  for (int i = 0; i < 2; ++i) {
    StartBeside(beside[i]);
    EXPECT_EQ(TouchedBy([this] { Look(); }), 0u) << "nothing is new";
    request[i] = TouchedBy([this] { LoadForARequest(); });
    reload[i] = TouchedBy([this, i] {
      AddVersion("m", 1, std::string(static_cast<size_t>(i) + 2, 'x'));
      Look();
    });
    EXPECT_EQ(TouchedBy([this] { Look(); }), 0u);
    manager_->Shutdown();
  }
  EXPECT_EQ(request[0], request[1]);
  EXPECT_EQ(reload[0], reload[1]);
  EXPECT_LT(request[1], 10u);
}

// Issue "Scheduling", "Speed": a model that is registered and not loaded costs less than 2 KB.
TEST(ManyModelsTest, AModelThatNobodyLoadsCostsLittleMemory) {
  constexpr size_t kModels = 4000;
  constexpr size_t kBytesMax = 2000;
  const inferd::support::TempDir dir;
  for (size_t i = 0; i < kModels; ++i) {
    const std::string model = "a_model_with_quite_a_long_name_" + std::to_string(i);
    dir.MakeDir(model + "/1");
    if (i % 100 == 0) dir.Write(model + "/config.pbtxt", "max_batch_size: 8");
  }
  const base::SystemClock clock;
  core::SnapshotPublisher snapshots;
  metrics::Registry registry;
  const auto logger = base::Logger::Silent();
  ManagerOptions options;
  options.repositories = {{.name = "main", .path = dir.path()}};
  options.control = config::ControlMode::kExplicit;
  options.poll_interval_ms = 3'600'000;
  const size_t before = inferd::support::AllocatedBytes();
  Manager manager(options, ManagerServices{.snapshots = snapshots,
                                           .engines = {},
                                           .scheduler_factory = {},
                                           .clock = clock,
                                           .logger = *logger,
                                           .metrics = registry});
  ASSERT_TRUE(manager.Start().ok());
  manager.WaitIdle();
  manager.LookNow();  // a reader may still have the snapshot before the last
  const size_t bytes = (inferd::support::AllocatedBytes() - before) / kModels;
  EXPECT_EQ(snapshots.Current()->models().size(), kModels);
  EXPECT_LT(bytes, kBytesMax);
  RecordProperty("bytes_per_model", static_cast<int>(bytes));
}

}  // namespace
}  // namespace inferd::repository
