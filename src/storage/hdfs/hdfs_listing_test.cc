#include "storage/hdfs/hdfs_listing.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

// The example from the documentation of WebHDFS.
constexpr const char* kFile = R"({"accessTime": 1320171722771, "blockSize": 33554432, "group": "supergroup",
    "length": 24930, "modificationTime": 1320171722771, "owner": "webuser", "pathSuffix": "a.patch",
    "permission": "644", "replication": 1, "fileId": 16387, "childrenNum": 0, "type": "FILE"})";
constexpr const char* kFolder = R"({"length": 0, "modificationTime": 1320895981256, "pathSuffix": "ü b",
    "type": "DIRECTORY"})";

TEST(HdfsListingTest, AFolderHasItsEntries) {
  const auto entries = ReadHdfsListing(std::string(R"({"FileStatuses": {"FileStatus": [)") + kFile + "," + kFolder +
                                       R"(, {"length": 1, "type": "SYMLINK", "pathSuffix": "l", "symlink": "a"}]}})");
  ASSERT_TRUE(entries.has_value()) << entries.error().ToString();
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ(entries->at(0),
            (HdfsStatus{.name = "a.patch", .kind = HdfsKind::kFile, .size = 24930, .tag = "16387-1320171722771"}));
  EXPECT_EQ(entries->at(1), (HdfsStatus{.name = "ü b", .kind = HdfsKind::kFolder, .tag = "0-1320895981256"}));
  EXPECT_EQ(entries->at(2), (HdfsStatus{.name = "l", .kind = HdfsKind::kOther, .size = 1}));
  EXPECT_TRUE(ReadHdfsListing(R"({"FileStatuses": {"FileStatus": []}})")->empty());
}

TEST(HdfsListingTest, AStatusIsOfTheRequestsPath) {
  const auto status = ReadHdfsStatus(std::string(R"({"FileStatus": )") + kFile + "}");
  ASSERT_TRUE(status.has_value()) << status.error().ToString();
  EXPECT_EQ(*status, (HdfsStatus{.kind = HdfsKind::kFile, .size = 24930, .tag = "16387-1320171722771"}));
}

TEST(HdfsListingTest, WhatIsNoListingIsRefused) {
  const auto listing_of = [](const std::string& entry) {
    return R"({"FileStatuses": {"FileStatus": [{)" + entry + "}]}}";
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("<html>"), std::string("{}"),
        std::string(R"({"FileStatuses": 1})"), std::string(R"({"FileStatuses": {}})"),
        std::string(R"({"FileStatuses": {"FileStatus": []}} x)"), listing_of(""),
        listing_of(R"("pathSuffix": "a", "type": "FILE")"), listing_of(R"("pathSuffix": "a", "length": 1)"),
        listing_of(R"("pathSuffix": "a", "type": "FILE", "length": -1)"),
        listing_of(R"("pathSuffix": "a", "type": "FILE", "length": "1")"), listing_of(R"("type": "FILE", "length": 1)"),
        listing_of(R"("pathSuffix": "..", "type": "FILE", "length": 1)"),
        listing_of(R"("pathSuffix": "a/b", "type": "DIRECTORY", "length": 0)")}) {
    const auto entries = ReadHdfsListing(text);
    ASSERT_FALSE(entries.has_value()) << text;
    EXPECT_EQ(entries.error().code(), base::StatusCode::kInvalidArgument) << text;
  }
  for (const char* text : {"", "{}", R"({"FileStatus": []})", R"({"FileStatus": {"type": "FILE"}})"}) {
    const auto status = ReadHdfsStatus(text);
    ASSERT_FALSE(status.has_value()) << text;
    EXPECT_EQ(status.error().code(), base::StatusCode::kInvalidArgument) << text;
  }
}

TEST(HdfsListingTest, ErrorsAreNamed) {
  const HdfsError error = ReadHdfsError(R"({"RemoteException": {"exception": "FileNotFoundException", "javaClassName":
      "java.io.FileNotFoundException", "message": "File does not exist: /foo\n\tat org.apache"}})");
  EXPECT_EQ(error.exception, "FileNotFoundException");
  EXPECT_EQ(error.text, "FileNotFoundException: File does not exist: /foo");
  for (const char* text : {"", "<html>", "{}", R"({"RemoteException": {"message": "m"}})"}) {
    EXPECT_EQ(ReadHdfsError(text).exception, "");
    EXPECT_EQ(ReadHdfsError(text).text, "");
  }
}

}  // namespace
}  // namespace inferd::storage
