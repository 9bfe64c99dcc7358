#include "storage/source/uri.h"

#include <gtest/gtest.h>

#include "storage/source/archive_kind.h"

namespace inferd::storage {
namespace {

TEST(UriTest, HasItsParts) {
  const UriParts parts = SplitUri("https://me:secret@host.example:8443/a/b%20c.zip?x=1&y=//2#end");
  EXPECT_EQ(parts.scheme, "https");
  EXPECT_EQ(parts.host, "host.example");
  EXPECT_EQ(parts.authority, "me:secret@host.example:8443");
  EXPECT_EQ(parts.path, "/a/b%20c.zip");
  EXPECT_EQ(parts.query, "x=1&y=//2");
  EXPECT_EQ(SplitUri("s3://bucket").host, "bucket");
  EXPECT_EQ(SplitUri("s3://bucket").path, "");
  EXPECT_EQ(SplitUri("http://[::1]:80/x").host, "[::1]");
  EXPECT_EQ(SplitUri("/models/a").path, "/models/a");
  EXPECT_EQ(SplitUri("/models/a").scheme, "");
}

TEST(UriTest, WithoutASchemeItIsALocalPath) {
  for (const char* uri : {"/mnt/models", "models", "", "://x", "-://x"}) EXPECT_TRUE(IsLocalPath(uri)) << uri;
  for (const char* uri : {"s3://b", "x_1://b", "file:///a"}) EXPECT_FALSE(IsLocalPath(uri)) << uri;
}

TEST(UriTest, APvcIsWhereItsVolumeIsMounted) {
  EXPECT_EQ(ResolvePvc("pvc://claim/models/a"), "/mnt/pvc/models/a");
  EXPECT_EQ(ResolvePvc("pvc://claim"), "/mnt/pvc");
  EXPECT_EQ(ResolvePvc("s3://pvc/a"), "s3://pvc/a");
}

TEST(UriTest, AzureBlobsHaveAnAccountAndAContainer) {
  EXPECT_TRUE(IsAzureBlob("https://account.blob.core.windows.net/container/model"));
  for (const char* uri :
       {"https://.blob.core.windows.net/c", "https://account.blob.core.windows.net/",
        "http://account.blob.core.windows.net/c", "https://account.blob.core.windows.net.example/c"}) {
    EXPECT_FALSE(IsAzureBlob(uri)) << uri;
  }
}

TEST(ArchiveKindTest, TheNameTells) {
  for (const char* name : {"a.tar", "a.tgz", "a.tar.gz", "A.TAR.GZ"}) EXPECT_EQ(ArchiveKindOf(name), ArchiveKind::kTar);
  EXPECT_EQ(ArchiveKindOf("a/b.zip"), ArchiveKind::kZip);
  for (const char* name : {"a", "a.gz", "zip", "a.zip.bin", ""}) EXPECT_EQ(ArchiveKindOf(name), ArchiveKind::kNone);
}

}  // namespace
}  // namespace inferd::storage
