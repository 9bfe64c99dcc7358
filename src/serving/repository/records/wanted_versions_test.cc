#include "serving/repository/records/wanted_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ModelLook LookOf(std::initializer_list<int64_t> versions, std::initializer_list<int64_t> settled) {
  ModelLook look;
  look.name = "m";
  look.model_dir = "/r/m";
  look.settled = settled;
  look.changing = settled.size() != versions.size();
  for (const int64_t version : versions) {
    look.layout.versions[version].files = {{.path = "model.onnx", .is_folder = false, .size = 1}};
    look.version_dirs[version] = "/r/m/" + std::to_string(version);
  }
  return look;
}

std::vector<int64_t> Numbers(const std::map<int64_t, WantedVersion>& wanted) {
  std::vector<int64_t> numbers;
  for (const auto& [version, entry] : wanted) numbers.push_back(version);
  return numbers;
}

TEST(WantedVersionsTest, TheLatestWholeVersion) {
  const auto wanted = SelectWanted(LookOf({1, 2}, {1, 2}), {}, {});
  ASSERT_THAT(Numbers(wanted), ElementsAre(2));
  const LoadJob& job = wanted.at(2).job;
  EXPECT_EQ(job.id, (core::ModelId{"m", 2}));
  EXPECT_EQ(job.version_dir, "/r/m/2");
  EXPECT_THAT(job.version_entries, ElementsAre("model.onnx"));
  EXPECT_TRUE(job.config_file.empty());
}

TEST(WantedVersionsTest, AVersionThatIsStillWrittenWaits) {
  EXPECT_THAT(Numbers(SelectWanted(LookOf({1, 2}, {1}), {}, {})), ElementsAre(1));
  EXPECT_THAT(Numbers(SelectWanted(LookOf({1}, {}), {}, {})), IsEmpty());
}

TEST(WantedVersionsTest, AServedVersionThatIsWrittenStaysWantedAsItWas) {
  const auto before = SelectWanted(LookOf({1, 2}, {1, 2}), {}, {});
  ModelLook changed = LookOf({1, 2}, {1});
  changed.layout.versions[2].files[0].size = 7;
  const auto wanted = SelectWanted(changed, {}, before);
  ASSERT_THAT(Numbers(wanted), ElementsAre(2)) << "not back to version 1";
  EXPECT_EQ(wanted.at(2).content, before.at(2).content);
}

TEST(WantedVersionsTest, TheConfigurationComesFromTheFolderOrTheCall) {
  ModelLook look = LookOf({1}, {1});
  look.config_file = "config.pbtxt";
  const auto plain = SelectWanted(look, {}, {});
  EXPECT_EQ(plain.at(1).job.config_file, "/r/m/config.pbtxt");
  const auto own = SelectWanted(look, {.config_json = "{}", .files = nullptr}, {});
  EXPECT_TRUE(own.at(1).job.config_file.empty());
  EXPECT_EQ(own.at(1).job.config_json, "{}");
  EXPECT_NE(own.at(1).content, plain.at(1).content);
  look.config_json = "{\"backend\": \"fake\"}";
  const auto named = SelectWanted(look, {}, {});
  EXPECT_TRUE(named.at(1).job.config_file.empty()) << "a model that is named with one has that";
  EXPECT_EQ(named.at(1).job.config_json, look.config_json);
  EXPECT_NE(named.at(1).content, plain.at(1).content);
  EXPECT_EQ(SelectWanted(look, {.config_json = "{}", .files = nullptr}, {}).at(1).job.config_json, "{}");
}

}  // namespace
}  // namespace inferd::repository
