#include "storage/download/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "storage/archive/archive_fixture.h"
#include "storage/source/fake_environment.h"
#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

namespace fs = std::filesystem;
using base::StatusCode;

class DownloadTest : public testing::Test {
 protected:
  base::Status Run(const std::string& uri, const std::map<std::string, std::string>& variables = {}) {
    return Download(uri, out_, FakeEnvironment(variables), {}, {});
  }
  std::string Text(const fs::path& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  support::TempDir dir_;
  const fs::path out_ = dir_.path() / "out";
};

TEST_F(DownloadTest, ALocalFoldersEntriesAreLinkedTo) {
  dir_.Write("model/1/model.onnx", "bytes");
  dir_.Write("model/config.pbtxt", "text");
  dir_.Write("model/.git/config", "left out");
  for (const std::string& scheme : {std::string("file://"), std::string()}) {
    dir_.Remove("out");
    const base::Status status = Run(scheme + (dir_.path() / "model").string());
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(fs::read_symlink(out_ / "1"), dir_.path() / "model/1");
    EXPECT_EQ(Text(out_ / "1/model.onnx"), "bytes");
    EXPECT_EQ(Text(out_ / "config.pbtxt"), "text");
    EXPECT_FALSE(fs::exists(out_ / ".git"));
  }
}

TEST_F(DownloadTest, ALocalFileIsLinkedTo) {
  dir_.Write("model.onnx", "bytes");
  ASSERT_TRUE(Run("file://" + (dir_.path() / "model.onnx").string()).ok());
  EXPECT_TRUE(fs::is_symlink(out_ / "model.onnx"));
  EXPECT_EQ(Text(out_ / "model.onnx"), "bytes");
}

TEST_F(DownloadTest, WhatAFolderHasAlreadyStaysWhereItIsLinkedInto) {
  dir_.Write("out/a", "mine");
  dir_.Write("out/b", "mine too");
  ASSERT_TRUE(Run(out_.string()).ok());  // onto itself
  EXPECT_EQ(Text(out_ / "a"), "mine");
  EXPECT_FALSE(fs::is_symlink(out_ / "a"));
}

TEST_F(DownloadTest, ALocalArchiveIsUnpackedAndStays) {
  dir_.MakeDir("model");
  {
    ArchiveWriter(dir_.path() / "model/model.tgz", "pax", true).File("1/model.onnx", "bytes");
  }
  ASSERT_TRUE(Run((dir_.path() / "model").string()).ok());
  EXPECT_EQ(Text(out_ / "1/model.onnx"), "bytes");
  EXPECT_FALSE(fs::exists(out_ / "model.tgz"));
  EXPECT_TRUE(fs::exists(dir_.path() / "model/model.tgz"));
}

TEST_F(DownloadTest, AHostileLocalArchiveLeavesNothing) {
  {
    ArchiveWriter(dir_.path() / "model.tar", "pax").File("a", "1").File("../escaped", "evil");
  }
  EXPECT_EQ(Run((dir_.path() / "model.tar").string()).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_FALSE(fs::exists(dir_.path() / "escaped"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), {}), 1);
}

TEST_F(DownloadTest, ErrorsHaveKServesTexts) {
  dir_.MakeDir("empty");
  const std::string empty = (dir_.path() / "empty").string();
  const struct {
    std::string uri;
    StatusCode code;
    std::string message;
  } cases[] = {
      {"file:///not/there", StatusCode::kNotFound, "Local path file:///not/there does not exist."},
      {"/mnt/pvc/not/there", StatusCode::kNotFound, "Cannot locate source uri /mnt/pvc/not/there for PVC"},
      {empty, StatusCode::kNotFound, "Failed to fetch model. No model found in " + empty + "."},
      {"/not/there", StatusCode::kInvalidArgument,
       "Cannot recognize storage type for /not/there\n'gs://', 's3://', 'file://', and 'http(s)://' are the current "
       "available storage type."},
      {"foo://a/b", StatusCode::kInvalidArgument,
       "Cannot recognize storage type for foo://a/b\n'gs://', 's3://', 'file://', and 'http(s)://' are the current "
       "available storage type."},
      {"http://127.0.0.1:1/", StatusCode::kInvalidArgument, "No filename contained in URI: http://127.0.0.1:1/"},
  };
  for (const auto& one : cases) {
    const base::Status status = Run(one.uri);
    EXPECT_EQ(status.code(), one.code) << one.uri;
    EXPECT_EQ(status.message(), one.message);
    EXPECT_FALSE(fs::exists(out_)) << one.uri;
  }
}

TEST_F(DownloadTest, ModelsThatOthersFillInAreLeftToThem) { EXPECT_TRUE(Run("/mnt/models/not-there-yet").ok()); }

TEST_F(DownloadTest, HeadersOfTheEnvironmentAreChecked) {
  for (const std::string& text : {std::string("no JSON"), std::string("[]"), std::string(R"({"a b": "x"})"),
                                  std::string(R"({"a": 1})"), std::string(R"({"a": "secret\r\nb: c"})")}) {
    const base::Status status = Run("http://127.0.0.1:1/model.bin", {{"127.0.0.1-headers", text}});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "environment variable 127.0.0.1-headers is no JSON object of HTTP headers");
  }
}

}  // namespace
}  // namespace inferd::storage
