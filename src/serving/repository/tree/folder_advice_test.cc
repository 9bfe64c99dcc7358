#include "serving/repository/tree/folder_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr const char* kBare = "at least one version must be available under the version policy of model 'iris'";

ModelLook Look(const std::vector<std::string>& files) {
  storage::TreeStat tree;
  for (const std::string& path : files) {
    storage::FileStat file;
    file.path = path;
    file.is_folder = path.find('.') == std::string::npos;
    tree.files.push_back(file);
  }
  ModelLook look;
  look.name = "iris";
  look.layout = SplitTree(tree);
  return look;
}

TEST(FolderAdviceTest, SaysWhereTheFileBelongs) {
  EXPECT_EQ(WhyNoVersions(Look({"model.onnx"})),
            std::string(kBare) + ": put model.onnx into a version folder, iris/1/model.onnx");
  EXPECT_THAT(WhyNoVersions(Look({"config.pbtxt", "my.onnx"})),
              EndsWith(": put my.onnx into a version folder, iris/1/my.onnx"));
  EXPECT_THAT(WhyNoVersions(Look({"v1", "v1/model.onnx"})),
              EndsWith(": a version folder's name is a number, as in iris/1/model.onnx: rename 'v1'"));
  EXPECT_THAT(WhyNoVersions(Look({"model.pkl"})), EndsWith(": put model.pkl into a version folder, iris/1/model.pkl"));
  EXPECT_THAT(WhyNoVersions(Look({"model.h5"})), EndsWith(", and belong into a version folder, iris/1/"));
}

TEST(FolderAdviceTest, SaysNoMoreThanIsKnown) {
  EXPECT_EQ(WhyNoVersions(Look({"config.pbtxt", "labels.txt"})), kBare);
  EXPECT_EQ(WhyNoVersions(Look({"1", "1/model.onnx"})), kBare) << "the policy does not want it";
  ModelLook named = Look({"model.onnx"});
  named.named = true;
  named.model_dir = "/srv/iris";
  EXPECT_THAT(WhyNoVersions(named), StartsWith("No versions of servable iris found under base path /srv/iris"));
}

}  // namespace
}  // namespace inferd::repository
