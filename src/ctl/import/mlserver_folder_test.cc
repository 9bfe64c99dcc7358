#include <gmock/gmock.h>

#include "ctl/import/foreign_folder.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MlserverFolderTest : public ::testing::Test {
 protected:
  // Returns the only model of these settings.
  ForeignModel Model(const std::string& settings) {
    folder_.Write("m/model-settings.json", settings);
    const auto found = ReadMlserverFolder(folder_.path());
    if (!found.has_value() || found->models.size() != 1) return {.name = "none", .place = ""};
    return found->models.front();
  }
  std::string Path(const std::string& path) const { return (folder_.path() / path).string(); }

  support::TempDir folder_;
};

TEST_F(MlserverFolderTest, AFileThatInferdReads) {
  folder_.Write("m/iris.json", "{}");
  const ForeignModel model = Model(
      R"({"name":"iris","implementation":"mlserver_xgboost.XGBoostModel","max_batch_size":8,"max_batch_time":0.1,)"
      R"("parameters":{"uri":"./iris.json","version":"v0.1"}})");
  EXPECT_EQ(model.name, "iris");
  EXPECT_EQ(model.argument, "iris=" + Path("m/iris.json"));
  EXPECT_FALSE(model.is_pickle);
  EXPECT_THAT(model.needs, IsEmpty());
  EXPECT_THAT(model.notes, ElementsAre(HasSubstr("max_batch_size 8, max_batch_time 0.1 s"), HasSubstr("version v0.1")));
}

TEST_F(MlserverFolderTest, AFolderIsSearchedForTheNamesThatMlserverKnows) {
  EXPECT_THAT(Model(R"({"implementation":"mlserver_sklearn.SKLearnModel"})").needs,
              ElementsAre(HasSubstr("MLServer looks for model.joblib, model.pickle, model.pkl")));
  folder_.Write("m/model.pkl", "");
  const ForeignModel model = Model(R"({"implementation":"mlserver_sklearn.SKLearnModel","parameters":null})");
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.argument, "m=" + Path("m/model.pkl"));
  EXPECT_TRUE(model.is_pickle);
}

TEST_F(MlserverFolderTest, AModelOfMlflow) {
  const std::string settings = R"({"implementation":"mlserver_mlflow.MLflowRuntime","parameters":{"uri":"saved/"}})";
  EXPECT_THAT(Model(settings).needs, ElementsAre(HasSubstr("is not there")));
  folder_.Write("m/saved/conda.yaml", "");
  EXPECT_THAT(Model(settings).needs, ElementsAre(HasSubstr("no file MLmodel")));
  folder_.Write("m/saved/MLmodel", "");
  EXPECT_EQ(Model(settings).argument, "m=" + Path("m/saved"));
  EXPECT_TRUE(Model(settings).is_pickle);
}

TEST_F(MlserverFolderTest, CodeForMlserverHasToBeWrittenAnew) {
  EXPECT_THAT(Model(R"({"implementation":"mine.Model"})").needs,
              ElementsAre(HasSubstr("mine.Model is code for MLServer")));
  EXPECT_THAT(Model(R"({"implementation":"mlserver_huggingface.HuggingFaceRuntime"})").needs,
              ElementsAre(HasSubstr("optimum-cli")));
  EXPECT_THAT(Model(R"({"name":"x"})").needs, ElementsAre(HasSubstr("name no implementation")));
  EXPECT_THAT(Model(R"({"implementation":"mlserver_xgboost.XGBoostModel","parameters":{"uri":"s3://b/m"}})").needs,
              ElementsAre(HasSubstr("its files are elsewhere")));
}

TEST_F(MlserverFolderTest, WhatCannotBeReadIsSaid) {
  folder_.Write("bad/model-settings.json", "{");
  folder_.Write("good/model-settings.json", "{}");
  const auto found = ReadMlserverFolder(folder_.path());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->models.size(), 1u);
  EXPECT_THAT(found->unread, ElementsAre(HasSubstr("bad/model-settings.json': JSON at byte")));
}

TEST_F(MlserverFolderTest, CirclesEnd) {
  folder_.Write("m/model-settings.json", "{}");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "again");
  const auto found = ReadMlserverFolder(folder_.path());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->models.size(), 1u);
  EXPECT_THAT(found->unread, IsEmpty());
}

TEST_F(MlserverFolderTest, DeepFoldersAreSaid) {
  std::string deep = "m";
  for (int i = 0; i < 20; ++i) deep += "/d";
  folder_.Write(deep + "/model-settings.json", "{}");
  EXPECT_THAT(ReadMlserverFolder(folder_.path())->unread, ElementsAre(HasSubstr("too deep ones")));
}

TEST_F(MlserverFolderTest, OtherFoldersAreErrors) {
  EXPECT_THAT(ReadMlserverFolder(folder_.path()).error().message(), HasSubstr("has no model-settings.json"));
  EXPECT_FALSE(ReadMlserverFolder(folder_.path() / "none").has_value());
  folder_.Write("m/model-settings.json", "{}");
  folder_.Write("settings.json", "{}");
  EXPECT_THAT(ReadMlserverFolder(folder_.path())->notes, ElementsAre(HasSubstr("settings.json is not read")));
}

}  // namespace
}  // namespace inferd::ctl
