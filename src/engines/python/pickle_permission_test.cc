#include "engines/python/pickle_permission.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/temp_dir.h"

namespace inferd::python {
namespace {

class PicklePermissionTest : public ::testing::Test {
 protected:
  PicklePermissionTest() {
    dir_.MakeDir("trusted/iris/1");
    dir_.MakeDir("other/iris/1");
    dir_.MakeDir("inferd-load-1/1");
  }

  std::string Path(const std::string& below) const { return dir_.path() / below; }

  // Returns true if `value` allows pickles to a model in that folder.
  static bool May(const std::string& value, const std::string& folder, std::string_view key = "operator.pickles") {
    const std::string version = folder + "/1";
    const inferd_pair pair = {{key.data(), key.size()}, {value.data(), value.size()}};
    inferd_load load = {};
    load.struct_size = sizeof(load);
    load.model_name = {"iris", 4};
    load.model_dir = {folder.data(), folder.size()};
    load.version_dir = {version.data(), version.size()};
    load.parameters = &pair;
    load.parameter_count = 1;
    return MayUnpickle(load);
  }

  const support::TempDir dir_;
};

TEST_F(PicklePermissionTest, NothingIsAllowedUnlessItIsSaid) {
  EXPECT_FALSE(MayUnpickle({}));
  EXPECT_FALSE(May("", Path("trusted/iris")));
  EXPECT_FALSE(May("all", Path("trusted/iris"), "pickles"));
  EXPECT_TRUE(May("all", Path("trusted/iris")));
  EXPECT_TRUE(May("nothing:all", Path("inferd-load-1")));
}

TEST_F(PicklePermissionTest, AFolderMeansTheModelsInIt) {
  EXPECT_TRUE(May(Path("trusted"), Path("trusted/iris")));
  EXPECT_TRUE(May(Path("trusted/"), Path("trusted/iris/")));
  EXPECT_TRUE(May(Path("trusted/iris"), Path("trusted/iris")));
  EXPECT_TRUE(May("/nowhere:" + Path("trusted"), Path("trusted/iris")));
  EXPECT_FALSE(May(Path("trusted"), Path("other/iris")));
  EXPECT_FALSE(May(Path("trust"), Path("trusted/iris"))) << "no folder's name begins another's";
  EXPECT_FALSE(May(Path("trusted"), Path("trusted/../other/iris")));
  EXPECT_FALSE(May(Path("nowhere"), Path("trusted/iris")));
}

TEST_F(PicklePermissionTest, LinksAreTheirRepositorys) {
  std::filesystem::create_directory_symlink(dir_.path() / "trusted", dir_.path() / "link");
  EXPECT_TRUE(May(Path("link"), Path("trusted/iris")));
  EXPECT_TRUE(May(Path("trusted"), Path("link/iris")));
  std::filesystem::create_directory_symlink(dir_.path() / "trusted" / "iris", dir_.path() / "other" / "borrowed");
  EXPECT_TRUE(May(Path("other"), Path("other/borrowed"))) << "the link is that of the repository";
}

TEST_F(PicklePermissionTest, ANameMeansThatModel) {
  EXPECT_TRUE(May("iris", Path("other/iris")));
  EXPECT_FALSE(May("rose", Path("other/iris")));
}

TEST_F(PicklePermissionTest, WhatALoadCallBroughtIsNoFoldersAndNoNames) {
  EXPECT_FALSE(May("iris", Path("inferd-load-1")));
  EXPECT_FALSE(May(dir_.path(), Path("inferd-load-1")));
  EXPECT_TRUE(May("all", Path("inferd-load-1")));
}

}  // namespace
}  // namespace inferd::python
