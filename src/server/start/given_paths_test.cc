#include "server/start/given_paths.h"

#include <gmock/gmock.h>

#include "config/personality.h"
#include "tests/support/temp_dir.h"

namespace inferd::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GivenPathsTest : public ::testing::Test {
 protected:
  GivenPathsTest() {
    folder_.Write("models/digits/1/model.onnx", "x");
    options_.personality = &config::DefaultPersonality();
  }

  std::string Path(const std::string& below) const { return (folder_.path() / below).string(); }

  const support::TempDir folder_;
  config::ServerOptions options_;
};

TEST_F(GivenPathsTest, FoldersOfOneModelGetItsName) {
  options_.model_files = {Path("models/digits"), Path("models/digits/1/"), Path("models"), "other=" + Path("models")};
  EXPECT_EQ(NameModelFolders(options_).size(), 2);
  EXPECT_THAT(options_.model_files, ElementsAre("digits=" + Path("models/digits"), "digits=" + Path("models/digits/1"),
                                                Path("models"), "other=" + Path("models")));
}

TEST_F(GivenPathsTest, OtherPersonalitiesKeepTheirPaths) {
  options_.personality = &config::TritonserverPersonality();
  options_.model_files = {Path("models/digits")};
  EXPECT_THAT(NameModelFolders(options_), IsEmpty());
  EXPECT_THAT(options_.model_files, ElementsAre(Path("models/digits")));
}

TEST_F(GivenPathsTest, RepositoriesThatServeNothingAreReported) {
  options_.repositories = {{.name = "", .path = Path("models")}, {.name = "", .path = Path("models/digits")}};
  EXPECT_THAT(RepositoryWarnings(options_), ElementsAre(HasSubstr("--model-repository '" + Path("models") + "'")));
  options_.repositories = {{.name = "", .path = "s3://bucket/models"}};
  EXPECT_THAT(RepositoryWarnings(options_), IsEmpty());
}

TEST_F(GivenPathsTest, MissingPathsHaveANearName) {
  options_.model_files = {Path("models/digit")};
  EXPECT_EQ(MissingPathHint(options_), " (did you mean '" + Path("models/digits") + "'?)");
  options_.model_files = {Path("modls/digits/1/model.onnx")};
  EXPECT_EQ(MissingPathHint(options_), " (did you mean '" + Path("models") + "'?)");
  options_.model_files = {Path("models/resnet")};
  EXPECT_EQ(MissingPathHint(options_), "; the folder '" + Path("models") + "' has: digits");
  options_.model_files = {Path("models/digits"), "s3://bucket/model.onnx"};
  EXPECT_EQ(MissingPathHint(options_), "");
}

TEST_F(GivenPathsTest, HintsAreBounded) {
  for (int i = 0; i < 20; ++i) folder_.MakeDir("many/" + std::to_string(i));
  options_.model_files = {Path("many/" + std::string(255, 'x'))};
  EXPECT_THAT(MissingPathHint(options_), HasSubstr("0, 1, 10, 11, 12, ..."));
}

}  // namespace
}  // namespace inferd::server
