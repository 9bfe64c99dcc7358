#include <gmock/gmock.h>

#include "ctl/import/foreign_folder.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TensorFlowFolderTest, ABasePath) {
  const support::TempDir folder;
  folder.Write("half/00000123/saved_model.pb", "");
  const auto found = ReadTensorFlowFolder(folder.path() / "half/");
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->models.size(), 1u);
  EXPECT_EQ(found->models[0].name, "half");
  EXPECT_THAT(found->options, Contains("--model_name=half"));
  EXPECT_THAT(found->options, Contains("--model_base_path=" + (folder.path() / "half").string()));
}

TEST(TensorFlowFolderTest, AModelsFile) {
  const support::TempDir folder;
  folder.Write("half/1/saved_model.pb", "");
  folder.Write("models.config", "model_config_list { config { name: \"a\" base_path: \"/half\" } }");
  folder.Write("monitoring.config", "prometheus_config { enable: true }");
  const std::string option = "--model_config_file=" + (folder.path() / "models.config").string();
  EXPECT_THAT(ReadTensorFlowFolder(folder.path())->options, Contains(option));
  EXPECT_THAT(ReadTensorFlowFolder(folder.path() / "models.config")->options, Contains(option));
  EXPECT_THAT(ReadTensorFlowFolder(folder.path() / "monitoring.config").error().message(), HasSubstr("no models file"));
  folder.Write("more.config", "model_config_list {}");
  EXPECT_THAT(ReadTensorFlowFolder(folder.path()).error().message(), HasSubstr("name one of them"));
}

TEST(TensorFlowFolderTest, SeveralBasePaths) {
  const support::TempDir folder;
  folder.Write("a/1/saved_model.pb", "");
  folder.Write("b/2/saved_model.pb", "");
  folder.Write("scripts/run.sh", "");
  const auto found = ReadTensorFlowFolder(folder.path());
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->models.size(), 2u);
  EXPECT_THAT(found->options, ElementsAre("--model-repository=" + folder.path().string()));
}

TEST(TensorFlowFolderTest, OtherFoldersAreErrors) {
  const support::TempDir folder;
  folder.Write("a/model.py", "");
  EXPECT_THAT(ReadTensorFlowFolder(folder.path()).error().message(), HasSubstr("no folders of versions"));
  EXPECT_FALSE(ReadTensorFlowFolder(folder.path() / "none").has_value());
}

}  // namespace
}  // namespace inferd::ctl
