#include "kserve/node/layout/repository_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/manifest/read.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Returns the files of a repository made from these files, or the error.
std::vector<std::string> Made(const std::vector<std::string>& files) {
  const support::TempDir dir;
  const fs::path folder = dir.path() / "model";
  fs::create_directories(folder);
  for (const std::string& file : files) dir.Write("model/" + file, "x");
  const base::Status made = MakeRepository(folder, "iris", "/m");
  if (!made.ok()) return {std::string(made.message())};
  std::vector<std::string> there;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) there.push_back(fs::relative(entry.path(), folder).string());
  }
  std::ranges::sort(there);
  return there;
}

TEST(RepositoryLayoutTest, ARepositoryStays) {
  EXPECT_THAT(Made({"a/1/model.onnx", "b/config.pbtxt"}), ElementsAre("a/1/model.onnx", "b/config.pbtxt"));
  EXPECT_THAT(Made({"a/1/model.onnx", "README"}), ElementsAre("README", "a/1/model.onnx"));
}

TEST(RepositoryLayoutTest, FilesOfOneModelGetItsNameAndAVersion) {
  EXPECT_THAT(Made({"model.onnx"}), ElementsAre("iris/1/model.onnx"));
  EXPECT_THAT(Made({"digits.onnx"}), ElementsAre("iris/1/model.onnx"));
  EXPECT_THAT(Made({"model.onnx", "model.onnx.data"}), ElementsAre("iris/1/model.onnx", "iris/1/model.onnx.data"));
  EXPECT_THAT(Made({"saved_model.pb", "variables/v"}),
              ElementsAre("iris/1/model.savedmodel/saved_model.pb", "iris/1/model.savedmodel/variables/v"));
}

TEST(RepositoryLayoutTest, VersionsOfOneModelGetItsName) {
  EXPECT_THAT(Made({"1/model.onnx", "3/model.onnx"}), ElementsAre("iris/1/model.onnx", "iris/3/model.onnx"));
  EXPECT_THAT(Made({"config.pbtxt", "1/model.onnx"}), ElementsAre("iris/1/model.onnx", "iris/config.pbtxt"));
}

TEST(RepositoryLayoutTest, WithoutAModelTheLayoutIsSaid) {
  using Files = std::vector<std::string>;
  for (const Files& files : {Files(), Files({"a/model.onnx"}), Files({".hidden"})}) {
    EXPECT_THAT(Made(files), ElementsAre("there is no model in /m of the layout that its runtime wants: "
                                         "NAME/VERSION/FILE, such as iris/1/model.onnx"));
  }
}

TEST(RepositoryLayoutTest, IsForRuntimesThatTakeARepository) {
  const auto takes = [](const std::string& argument, const std::string& runtime) {
    model::ResolvedPod pod;
    pod.runtime = runtime;
    pod.pod_spec = manifest::ReadYaml("containers: [{args: [--as=x, " + argument + "]}]", "f").value().front();
    return TakesRepository(pod);
  };
  EXPECT_TRUE(takes("--model-store=/mnt/models", "triton"));
  EXPECT_TRUE(takes("--model-repository=/mnt/models", "triton"));
  EXPECT_FALSE(takes("--model-store=/mnt/models/model-store", "torchserve"));
  EXPECT_FALSE(takes("--model_dir=/mnt/models", "sklearn"));
  EXPECT_FALSE(takes("--model-store=/mnt/models", "")) << "a container of the user's own";
}

}  // namespace
}  // namespace inferd::node
