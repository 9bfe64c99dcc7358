#include "serving/core/model_version.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace model_version_test {

// Holds posted tasks until RunAll().
class HeldExecutor final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  void RunAll() {
    for (base::Task& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<base::Task> tasks_;
};

ModelVersion::Parts PartsOf(ModelId id) {
  ModelVersion::Parts parts;
  parts.id = std::move(id);
  return parts;
}

TEST(ModelVersionTest, EndsOnTheRetireExecutor) {
  HeldExecutor retire;
  bool gone = false;
  auto version = ModelVersion::Create(PartsOf({.name = "m", .version = 3}), retire, [&] { gone = true; });
  EXPECT_EQ(version->version(), "3");
  version = nullptr;
  EXPECT_FALSE(gone);
  retire.RunAll();
  EXPECT_TRUE(gone);
}

TEST(ModelVersionTest, AlternativeTensorsAreAcceptedAndNotShown) {
  HeldExecutor retire;
  ModelSignature signature;
  signature.inputs = {{.name = "x", .shape = {-1}},
                      {.name = "body", .shape = {-1}, .optional = true, .alternative = true}};
  signature.outputs = {{.name = "y", .shape = {-1}}};
  ModelVersion::Parts parts = PartsOf({.name = "m", .version = 1});
  parts.signature = std::make_shared<const ModelSignature>(signature);
  const auto version = ModelVersion::Create(std::move(parts), retire);
  ASSERT_EQ(version->signature().inputs.size(), 1u);
  EXPECT_EQ(version->signature().inputs[0].name, "x");
  EXPECT_EQ(version->signatures()[0], &version->signature());
  EXPECT_EQ(version->accepted().FindInput("body"), 1);
  EXPECT_EQ(version->signature().outputs.size(), 1u);
}

// Idle loops keep old snapshots, which have weak references to versions. The end of a version must not wait for them to
// free what it holds.
TEST(ModelVersionTest, WeakReferencesKeepNothingOfItAlive) {
  HeldExecutor retire;
  auto kept = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = kept;
  auto version = ModelVersion::Create(PartsOf({.name = "m", .version = 1}), retire, [kept = std::move(kept)] {});
  const std::weak_ptr<const ModelVersion> snapshot = version;
  version = nullptr;
  EXPECT_FALSE(watched.expired());
  retire.RunAll();
  EXPECT_TRUE(watched.expired());
  EXPECT_TRUE(snapshot.expired());
}

}  // namespace model_version_test
}  // namespace inferd::core
