#include "storage/source/stored_object.h"

#include <gtest/gtest.h>

#include <map>

namespace inferd::storage {
namespace {

TEST(StoredObjectTest, AModelsFilesAreBelowItsPath) {
  const std::vector<StoredObject> objects = {{.key = "a/b/c/model.bin"}, {.key = "a/model.bin"}, {.key = "a/"},
                                             {.key = "a//twice"},        {.key = "model.bin"},   {.key = "a-b/other"},
                                             {.key = "pack.tar.gz"}};
  using Files = std::map<std::string, std::string>;  // path to key
  const struct {
    std::string path;
    Files files;
  } cases[] = {
      {"a", {{"b/c/model.bin", "a/b/c/model.bin"}, {"model.bin", "a/model.bin"}, {"twice", "a//twice"}}},
      {"a/", {{"b/c/model.bin", "a/b/c/model.bin"}, {"model.bin", "a/model.bin"}, {"twice", "a//twice"}}},
      {"a/b", {{"c/model.bin", "a/b/c/model.bin"}}},
      {"a/b/c/model.bin", {{"model.bin", "a/b/c/model.bin"}}},
      {"model.bin", {{"model.bin", "model.bin"}}},
      {"mod", {}},
      {"",
       {{"a/b/c/model.bin", "a/b/c/model.bin"},
        {"a/model.bin", "a/model.bin"},
        {"a//twice", "a//twice"},
        {"model.bin", "model.bin"},
        {"a-b/other", "a-b/other"},
        {"pack.tar.gz", "pack.tar.gz"}}},
  };
  for (const auto& one : cases) {
    Files found;
    for (const RemoteFile& file : FilesOfModel(objects, one.path)) found.emplace(file.path, file.key);
    EXPECT_EQ(found, one.files) << one.path;
  }
  EXPECT_EQ(FilesOfModel(objects, "pack.tar.gz").front().archive, ArchiveKind::kTar);
}

TEST(StoredObjectTest, AllPagesOfAListingCome) {
  const auto objects = AllObjects("models", [](const std::string& token) -> base::Result<ObjectPage> {
    if (token.empty()) return ObjectPage{.objects = {{.key = "a"}, {.key = "b"}}, .next_token = "1"};
    if (token == "1") return ObjectPage{.objects = {}, .next_token = "2"};
    return ObjectPage{.objects = {{.key = "c"}}, .next_token = ""};
  });
  ASSERT_TRUE(objects.has_value());
  ASSERT_EQ(objects->size(), 3U);
  EXPECT_EQ(objects->back().key, "c");
}

TEST(StoredObjectTest, AListingWithoutEndIsStopped) {
  const auto objects = AllObjects("models", [](const std::string&) -> base::Result<ObjectPage> {
    return ObjectPage{.objects = std::vector<StoredObject>(100'000), .next_token = "again"};
  });
  EXPECT_EQ(objects.error(), base::ResourceExhausted("models: more than 1000000 objects"));
}

}  // namespace
}  // namespace inferd::storage
