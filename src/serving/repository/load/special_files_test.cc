#include "serving/repository/load/special_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

namespace fs = std::filesystem;

TEST(SpecialFilesTest, FilesFoldersAndLinksMakeAVersion) {
  const inferd::support::TempDir dir;
  dir.Write("1/variables/data", "x");
  fs::create_symlink("variables/data", dir.path() / "1/link");
  fs::create_symlink("nowhere", dir.path() / "1/lost");
  EXPECT_TRUE(CheckVersionFolder(dir.path() / "1").ok());
  EXPECT_TRUE(CheckVersionFolder(dir.path() / "none").ok()) << "the engine says so";
}

TEST(SpecialFilesTest, APipeADeviceOrALinkToOneIsNamed) {
  const inferd::support::TempDir dir;
  dir.Write("1/variables/data", "x");
  ASSERT_EQ(mkfifo((dir.path() / "1/variables/pipe").c_str(), 0600), 0);
  EXPECT_NE(CheckVersionFolder(dir.path() / "1").message().find("variables/pipe' is neither"), std::string::npos);
  dir.MakeDir("2");
  fs::create_symlink("/dev/zero", dir.path() / "2/model.onnx");
  EXPECT_EQ(CheckVersionFolder(dir.path() / "2").code(), base::StatusCode::kInvalidArgument);
}

TEST(SpecialFilesTest, AConfigurationThatIsNoFileIsNoMissingOne) {
  const inferd::support::TempDir dir;
  EXPECT_TRUE(CheckNoConfiguration(dir.path()).ok());
  for (const char* to : {"nowhere", "config.pbtxt", "/dev/null", "/"}) {
    fs::create_symlink(to, dir.path() / "config.pbtxt");
    EXPECT_EQ(CheckNoConfiguration(dir.path()).code(), base::StatusCode::kInvalidArgument) << to;
    fs::remove(dir.path() / "config.pbtxt");
  }
  dir.MakeDir("config.pbtxt");
  EXPECT_FALSE(CheckNoConfiguration(dir.path()).ok());
}

}  // namespace
}  // namespace inferd::repository
