#include "ctl/init/staged_model.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StagedModelTest : public ::testing::Test {
 protected:
  StagedModelTest() {
    given_.Write("net.onnx", "net");
    given_.Write("saved/saved_model.pb", "graph");
    given_.Write("saved/variables/v.index", "v");
    given_.Write("saved/.git/x", "hidden");
  }

  fs::path repository() const { return place_.path() / "a" / "models"; }
  StagedModel Create(const std::string& version = "1") {
    return std::move(StagedModel::Create(repository(), "m", version)).value();
  }
  std::string Text(const fs::path& file) const {
    std::ifstream in(repository() / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  support::TempDir given_;
  support::TempDir place_;
};

TEST_F(StagedModelTest, AModelAppearsAtOnce) {
  StagedModel staged = Create();
  ASSERT_TRUE(staged.Fill({{given_.path() / "net.onnx", "1/model.onnx"}}, false).ok());
  EXPECT_EQ(staged.repository().parent_path(), repository()) << "on the same disk";
  EXPECT_TRUE(staged.repository().filename().string().starts_with('.')) << "where no server looks";
  EXPECT_TRUE(fs::exists(staged.repository() / "m/1/model.onnx"));
  EXPECT_FALSE(fs::exists(repository() / "m"));
  ASSERT_TRUE(staged.Publish().ok());
  EXPECT_EQ(Text("m/1/model.onnx"), "net");
}

TEST_F(StagedModelTest, NothingStaysOfWhatIsNotPublished) {
  {
    ASSERT_TRUE(Create().Fill({{given_.path() / "net.onnx", "1/model.onnx"}}, false).ok());
  }
  EXPECT_TRUE(fs::is_empty(place_.path())) << "not even the repository, which was made for it";
  fs::create_directories(repository());
  {
    StagedModel staged = Create();
  }
  EXPECT_TRUE(fs::is_empty(repository())) << "the repository was there";
  {
    StagedModel staged = Create();
    StagedModel moved = std::move(staged);
  }
  EXPECT_TRUE(fs::is_empty(repository()));
}

TEST_F(StagedModelTest, AFolderIsCopiedWithoutHiddenFiles) {
  StagedModel staged = Create();
  fs::create_symlink(given_.path() / "net.onnx", given_.path() / "saved/linked");
  ASSERT_TRUE(staged.Fill({{given_.path() / "saved", "1"}}, false).ok());
  ASSERT_TRUE(staged.Publish().ok());
  EXPECT_EQ(Text("m/1/saved_model.pb"), "graph");
  EXPECT_EQ(Text("m/1/variables/v.index"), "v");
  EXPECT_EQ(Text("m/1/linked"), "net");
  EXPECT_FALSE(fs::is_symlink(repository() / "m/1/linked")) << "the copy does not need the original";
  EXPECT_FALSE(fs::exists(repository() / "m/1/.git"));
}

TEST_F(StagedModelTest, LinksPointToTheOriginals) {
  StagedModel staged = Create();
  ASSERT_TRUE(staged.Fill({{given_.path() / "saved/.." / "net.onnx", "1/model.onnx"}}, true).ok());
  ASSERT_TRUE(staged.Publish().ok());
  EXPECT_EQ(fs::read_symlink(repository() / "m/1/model.onnx"), fs::canonical(given_.path() / "net.onnx"));
}

TEST_F(StagedModelTest, AVersionIsAddedToAModel) {
  place_.Write("a/models/m/1/model.onnx", "old");
  place_.Write("a/models/m/labels.txt", "cat");
  StagedModel staged = Create("2");
  ASSERT_TRUE(staged.Fill({{given_.path() / "net.onnx", "2/model.onnx"}}, false).ok());
  ASSERT_TRUE(staged.LinkShared().ok());
  EXPECT_TRUE(fs::exists(staged.repository() / "m/labels.txt"));
  EXPECT_FALSE(fs::exists(staged.repository() / "m/1"));
  ASSERT_TRUE(staged.Publish().ok());
  EXPECT_EQ(Text("m/1/model.onnx"), "old");
  EXPECT_EQ(Text("m/2/model.onnx"), "net");
  EXPECT_FALSE(fs::is_symlink(repository() / "m/labels.txt"));
  EXPECT_THAT(VersionsOf(repository() / "m"), ElementsAre(1, 2));
}

TEST_F(StagedModelTest, NothingIsReplaced) {
  StagedModel model = Create();
  ASSERT_TRUE(model.Fill({{given_.path() / "net.onnx", "1/model.onnx"}}, false).ok());
  place_.Write("a/models/m/1/model.onnx", "somebody's");
  EXPECT_EQ(model.Publish().code(), base::StatusCode::kAlreadyExists);
  StagedModel version = Create();
  ASSERT_TRUE(version.Fill({{given_.path() / "net.onnx", "1/model.onnx"}}, false).ok());
  EXPECT_EQ(version.Publish().code(), base::StatusCode::kAlreadyExists);
  EXPECT_EQ(Text("m/1/model.onnx"), "somebody's");
}

TEST_F(StagedModelTest, OtherThingsThanFilesAreRefused) {
  ASSERT_EQ(::mkfifo((given_.path() / "saved/pipe").c_str(), S_IRUSR | S_IWUSR), 0);
  const base::Status status = Create().Fill({{given_.path() / "saved", "1"}}, false);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("neither a file nor a folder"));
}

TEST_F(StagedModelTest, AFolderThatContainsItselfEnds) {
  fs::create_directory_symlink(given_.path() / "saved", given_.path() / "saved/again");
  const base::Status status = Create().Fill({{given_.path() / "saved", "1"}}, false);
  EXPECT_EQ(status.code(), base::StatusCode::kResourceExhausted) << status.message();
}

TEST_F(StagedModelTest, APlaceThatCannotBeMadeIsAnError) {
  place_.Write("a", "a file");
  EXPECT_FALSE(StagedModel::Create(repository(), "m", "1").has_value());
}

TEST_F(StagedModelTest, OnlyNumbersAreVersions) {
  place_.Write("a/models/m/10/x", "");
  place_.Write("a/models/m/9/x", "");
  place_.Write("a/models/m/old/x", "");
  place_.Write("a/models/m/.3/x", "");
  place_.Write("a/models/m/99999999999999999999/x", "");
  EXPECT_THAT(VersionsOf(repository() / "m"), ElementsAre(9, 10));
  EXPECT_THAT(VersionsOf(repository() / "none"), IsEmpty());
}

}  // namespace
}  // namespace inferd::ctl
