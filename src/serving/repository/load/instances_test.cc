#include "serving/repository/load/instances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <mutex>

#include "config/model/model_config_parser.h"

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Instance final : public core::EngineInstance {
 public:
  void Execute(core::Execution& execution) override { execution.Finish(); }
};

// A model whose instances, if `parallel`, each wait until all three are being created.
class Model final : public core::EngineModel {
 public:
  explicit Model(bool parallel) : parallel_(parallel) {}

  const core::ModelSignature& signature() const override { return signature_; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec& spec) override {
    {
      const std::lock_guard lock(mutex_);
      created.push_back(spec.ordinal);
    }
    if (parallel_) met_.arrive_and_wait();
    if (spec.ordinal == fails) return std::unexpected(base::Internal("instance " + spec.name + " cannot be"));
    return std::make_unique<Instance>();
  }
  size_t input_alignment(int) const override { return 1; }
  bool parallel_instances() const override { return parallel_; }

  std::vector<int> created;
  int fails = -1;

 private:
  const bool parallel_;
  std::latch met_{3};
  std::mutex mutex_;
  core::ModelSignature signature_;
};

config::ModelConfig ThreeInstances() {
  return *config::ParseModelConfig("name: \"m\" instance_group { name: \"g\" kind: KIND_CPU count: 3 }", "");
}

TEST(CreateInstancesTest, AModelThatAllowsItHasThemCreatedAtATime) {
  Model model(true);
  const auto instances = CreateInstances(model, ThreeInstances());
  ASSERT_TRUE(instances.has_value()) << instances.error().message();
  EXPECT_EQ(instances->size(), 3u);
  std::ranges::sort(model.created);
  EXPECT_THAT(model.created, ElementsAre(0, 1, 2));
}

TEST(CreateInstancesTest, AnyOtherHasThemCreatedOneAfterTheOther) {
  Model model(false);
  ASSERT_EQ(CreateInstances(model, ThreeInstances())->size(), 3u);
  EXPECT_THAT(model.created, ElementsAre(0, 1, 2));
}

TEST(CreateInstancesTest, OneThatFailsFailsAll) {
  for (const bool parallel : {false, true}) {
    Model model(parallel);
    model.fails = 1;
    EXPECT_THAT(CreateInstances(model, ThreeInstances()).error().message(), HasSubstr("g_1 cannot be")) << parallel;
    if (!parallel) {
      EXPECT_THAT(model.created, ElementsAre(0, 1));
    }
  }
}

}  // namespace
}  // namespace inferd::repository
