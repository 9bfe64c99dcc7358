#include "ctl/validate/target.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;

TEST(TargetTest, AFileIsOneModel) {
  const support::TempDir folder;
  folder.Write("iris.onnx", "");
  const std::string path = folder.path() / "iris.onnx";
  const Target target = TargetAt(path);
  EXPECT_THAT(target.options, ElementsAre(path));
  EXPECT_TRUE(target.one_model);
  EXPECT_EQ(target.model, "");
}

TEST(TargetTest, AModelsFolderIsOneModelOfTheRepositoryAboveIt) {
  const support::TempDir folder;
  folder.Write("iris/1/model.onnx", "");
  folder.Write("flat/model.onnx", "");
  folder.Write("configured/config.pbtxt", "");
  const std::string repository = std::filesystem::canonical(folder.path());
  for (const std::string model : {"iris", "flat", "configured"}) {
    const Target target = TargetAt(folder.path() / model);
    EXPECT_THAT(target.options, ElementsAre("--model-repository=" + repository, "--model-control-mode=explicit",
                                            "--load-model=" + model));
    EXPECT_TRUE(target.one_model);
    EXPECT_EQ(target.model, model);
  }
}

TEST(TargetTest, AFolderOfModelsIsARepository) {
  const support::TempDir folder;
  folder.Write("iris/1/model.onnx", "");
  folder.Write("7/config.pbtxt", "a model with a number as its name");
  const Target target = TargetAt(folder.path());
  EXPECT_THAT(target.options, ElementsAre("--model-repository=" + folder.path().string()));
  EXPECT_FALSE(target.one_model);
}

}  // namespace
}  // namespace inferd::ctl
