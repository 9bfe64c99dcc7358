#include "storage/mapped_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

using ::testing::ElementsAre;

TEST(MappedStorageTest, ModelsAreWhereTheyWereSaidToBe) {
  const inferd::support::TempDir dir;
  dir.Write("here/1/model.onnx", "x");
  MappedStorage storage({{"b", dir.path() / "here"}, {"a", dir.path() / "nowhere"}});
  EXPECT_THAT(storage.ListModels().value(), ElementsAre("a", "b"));
  EXPECT_EQ(storage.StatModel("b").value().files.size(), 2u);
  EXPECT_EQ(storage.VersionDir("b", "1"), dir.path() / "here/1");
  EXPECT_EQ(storage.StatModel("a").error().code(), base::StatusCode::kNotFound);
  EXPECT_EQ(storage.StatModel("c").error().code(), base::StatusCode::kNotFound);
}

TEST(MappedStorageTest, AllAreReplacedAtOnce) {
  MappedStorage storage({{"a", "/a"}, {"b", "/b"}});
  storage.Replace({{"b", "/new"}, {"c", "/c"}});
  EXPECT_THAT(storage.ListModels().value(), ElementsAre("b", "c"));
  EXPECT_EQ(storage.ModelDir("b"), "/new");
  EXPECT_EQ(storage.ModelDir("a"), "");
}

}  // namespace
}  // namespace inferd::storage
