#include "ctl/import/mar_manifest.h"

#include <gmock/gmock.h>

#include "data/zip/zip_directory.h"
#include "data/zip/zip_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    R"({"createdOn": "today", "runtime": "python", "model": {"modelName": "m", "modelVersion": "1.0", "handler": "h.py",)"
    R"( "serializedFile": "model.pt", "modelFile": null, "requirementsFile": "r.txt", "new": [1]}, "archiverVersion": "1"})";

class MarManifestTest : public ::testing::Test {
 protected:
  base::Result<MarManifest> Read(const std::string& bytes) {
    folder_.Write("m.mar", bytes);
    return ReadMarManifest(folder_.path() / "m.mar");
  }

  support::TempDir folder_;
};

TEST_F(MarManifestTest, HasTheMembersOfTheModel) {
  const auto manifest = ParseMarManifest(kText);
  ASSERT_TRUE(manifest.has_value()) << manifest.error().message();
  EXPECT_EQ(manifest->name, "m");
  EXPECT_EQ(manifest->version, "1.0");
  EXPECT_EQ(manifest->handler, "h.py");
  EXPECT_EQ(manifest->serialized_file, "model.pt");
  EXPECT_EQ(manifest->model_file, "");
  EXPECT_EQ(manifest->requirements, "r.txt");
  EXPECT_FALSE(ParseMarManifest("[]").has_value());
  EXPECT_FALSE(ParseMarManifest(R"({"model": 1})").has_value());
}

TEST_F(MarManifestTest, ArchivesAreReadPackedAndUnpacked) {
  const std::string text = kText;
  const auto stored = Read(zip::PackZip(
      {{.name = "model.pt"}, {.name = "MAR-INF/MANIFEST.json", .bytes = text, .method = 0, .size = text.size()}}));
  ASSERT_TRUE(stored.has_value()) << stored.error().message();
  EXPECT_EQ(stored->name, "m");
  const std::string deflated(  // {"model":{"modelName":"m"}}
      "\xab\x56\xca\xcd\x4f\x49\xcd\x51\xb2\xaa\x86\x30\xfc\x12\x73\x53\x95\xac\x94\x72\x95\x6a\x6b\x01", 24);
  const auto packed =
      Read(zip::PackZip({{.name = "MAR-INF/MANIFEST.json", .bytes = deflated, .method = zip::kDeflated, .size = 27}}));
  ASSERT_TRUE(packed.has_value()) << packed.error().message();
  EXPECT_EQ(packed->name, "m");
}

TEST_F(MarManifestTest, FoldersAreReadToo) {
  folder_.Write("m/MAR-INF/MANIFEST.json", kText);
  EXPECT_EQ(ReadMarManifest(folder_.path() / "m")->name, "m");
  EXPECT_FALSE(ReadMarManifest(folder_.path()).has_value());
}

TEST_F(MarManifestTest, DamagedArchivesAreErrors) {
  EXPECT_THAT(Read("\x1f\x8b\x08 tar").error().message(), HasSubstr("no ZIP file"));
  EXPECT_THAT(Read(zip::MakeZip({"a"})).error().message(), HasSubstr("no MAR-INF/MANIFEST.json"));
  EXPECT_FALSE(Read(zip::MakeZip({"MAR-INF/MANIFEST.json"})).has_value()) << "its text is x";
  for (const uint16_t method : {zip::kDeflated, uint16_t{12}}) {
    EXPECT_FALSE(Read(zip::PackZip({{.name = "MAR-INF/MANIFEST.json", .bytes = "xx", .method = method, .size = 2}}))
                     .has_value());
  }
  EXPECT_FALSE(ReadMarManifest(folder_.path() / "none.mar").has_value());
}

}  // namespace
}  // namespace inferd::ctl
