#include "serving/repository/tree/model_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;

storage::FileStat Folder(std::string path) { return {.path = std::move(path), .is_folder = true}; }
storage::FileStat File(std::string path) { return {.path = std::move(path), .is_folder = false, .size = 1}; }

TEST(ModelLayoutTest, TakesTheVersionsApart) {
  const ModelLayout layout =
      SplitTree({{Folder("0"), Folder("10"), File("10/model.onnx"), Folder("10/data"), File("10/data/weights"),
                  File("config.pbtxt"), Folder("labels"), File("labels/a.txt")}});
  EXPECT_THAT(layout.VersionNumbers(), ElementsAre(0, 10));
  EXPECT_THAT(TopEntries(layout.versions.at(10)), ElementsAre("model.onnx", "data"));
  EXPECT_THAT(TopEntries(layout.versions.at(0)), ElementsAre());
  EXPECT_TRUE(layout.HasFile("config.pbtxt"));
  EXPECT_FALSE(layout.HasFile("labels"));
  EXPECT_EQ(layout.shared.files.size(), 3u);
  EXPECT_TRUE(layout.warnings.empty());
}

TEST(ModelLayoutTest, LeadingZerosAndHugeNumbersAreIgnoredWithAWarning) {
  const ModelLayout layout =
      SplitTree({{Folder("007"), File("007/model.onnx"), Folder("99999999999999999999"), Folder("v10"), File("8")}});
  EXPECT_TRUE(layout.versions.empty());
  ASSERT_EQ(layout.warnings.size(), 2u);
  EXPECT_THAT(layout.warnings[0], ::testing::HasSubstr("'007'"));
}

TEST(ModelLayoutTest, LeadingZerosCountWhereTheyMay) {
  const ModelLayout layout = SplitTree({{Folder("00000123"), File("00000123/model.onnx"), Folder("000"), Folder("7")}},
                                       VersionNames::kLeadingZeros);
  EXPECT_THAT(layout.VersionNumbers(), ElementsAre(0, 7, 123));
  EXPECT_EQ(layout.FolderOf(123), "00000123");
  EXPECT_EQ(layout.FolderOf(0), "000");
  EXPECT_EQ(layout.FolderOf(7), "7");
  EXPECT_THAT(TopEntries(layout.versions.at(123)), ElementsAre("model.onnx"));
}

TEST(ModelLayoutTest, TheLastOfTwoFoldersOfOneVersionIsIt) {
  const ModelLayout layout =
      SplitTree({{Folder("01"), File("01/old"), Folder("1"), File("1/new")}}, VersionNames::kLeadingZeros);
  EXPECT_EQ(layout.FolderOf(1), "1");
  EXPECT_THAT(TopEntries(layout.versions.at(1)), ElementsAre("new"));
  EXPECT_THAT(layout.warnings, ElementsAre("version folder '01' is ignored: '1' is the same version"));
}

}  // namespace
}  // namespace inferd::repository
