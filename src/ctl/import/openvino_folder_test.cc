#include <gmock/gmock.h>

#include "ctl/import/foreign_folder.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(OpenVinoFolderTest, AListOfModels) {
  const support::TempDir folder;
  folder.Write("config.json",
               R"({"model_config_list": [{"config": {"name": "a", "base_path": "models/a", "nireq": 2}}],)"
               R"("pipeline_config_list": [{"name": "p", "inputs": ["x"]}],)"
               R"("mediapipe_config_list": [{"name": "g", "base_path": "g"}], "monitoring": {"metrics": {}}})");
  for (const auto& path : {folder.path(), folder.path() / "config.json"}) {
    const auto found = ReadOpenVinoFolder(path);
    ASSERT_TRUE(found.has_value()) << found.error().message();
    ASSERT_EQ(found->models.size(), 3u);
    EXPECT_EQ(found->models[0].name, "a");
    EXPECT_EQ(found->models[0].place, "models/a");
    EXPECT_THAT(found->models[0].needs, IsEmpty());
    EXPECT_THAT(found->models[1].needs, ElementsAre(HasSubstr("write it as an ensemble")));
    EXPECT_THAT(found->models[2].needs, ElementsAre(HasSubstr("MediaPipe")));
    EXPECT_THAT(found->options, ElementsAre("--model-config-file=" + (folder.path() / "config.json").string()));
  }
}

TEST(OpenVinoFolderTest, AListThatCannotBeReadIsAnError) {
  const support::TempDir folder;
  folder.Write("config.json", R"({"model_config_list": [{"config": )");
  EXPECT_THAT(ReadOpenVinoFolder(folder.path()).error().message(), HasSubstr("config.json': JSON at byte"));
  std::string deep = R"({"model_config_list": [)";
  for (int i = 0; i < 200; ++i) deep += R"({"config": )";
  folder.Write("config.json", deep);
  EXPECT_FALSE(ReadOpenVinoFolder(folder.path()).has_value());
}

TEST(OpenVinoFolderTest, FoldersOfVersions) {
  const support::TempDir folder;
  folder.Write("a/1/model.xml", "");
  folder.Write("b/1/model.xml", "");
  EXPECT_THAT(ReadOpenVinoFolder(folder.path())->options, ElementsAre("--model-repository=" + folder.path().string()));
  EXPECT_THAT(ReadOpenVinoFolder(folder.path() / "a")->options,
              ElementsAre("--model-base-path=a=" + (folder.path() / "a").string()));
  EXPECT_FALSE(ReadOpenVinoFolder(folder.path() / "a/1").has_value());
}

}  // namespace
}  // namespace inferd::ctl
