#include "storage/fetch/file_fetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "storage/fetch/fake_source.h"
#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

namespace fs = std::filesystem;
using base::StatusCode;
using testing::HasSubstr;

class FileFetcherTest : public testing::Test {
 protected:
  FileFetcherTest() {
    options_.retry = {
        .attempts = 3, .first_pause = std::chrono::milliseconds(0), .pause_max = std::chrono::milliseconds(0)};
    options_.range_bytes = 10;
    options_.parallel = 4;
  }

  base::Status Fetch(FakeSource& source, const std::string& md5 = {}, const std::stop_token& stop = {}) {
    std::vector<FileToFetch> files;
    auto listed = source.List({});
    for (RemoteFile& file : *listed) {
      file.md5 = md5;
      files.push_back({.remote = file, .local = dir_.path() / file.path});
    }
    return FetchFiles(source, files, options_, stop);
  }
  std::string Text(const std::string& path) const {
    std::ifstream file(dir_.path() / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  support::TempDir dir_;
  FetchOptions options_;
  const std::string long_text_ = "0123456789abcdefghijABCDEFGHIJ.";
};

TEST_F(FileFetcherTest, LargeFilesComeInParts) {
  FakeSource source(FakeSource::Texts{{"long", long_text_}, {"short", "x"}, {"empty", ""}});
  std::vector<DownloadProgress> seen;
  options_.on_progress = [&](const DownloadProgress& progress) { seen.push_back(progress); };
  const base::Status status = Fetch(source);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Text("long"), long_text_);
  EXPECT_EQ(Text("short"), "x");
  EXPECT_TRUE(fs::exists(dir_.path() / "empty"));
  EXPECT_EQ(source.reads, 5);  // 10, 10, 10 and 1 byte; 1 byte; an empty file needs none
  EXPECT_EQ(seen.back().bytes, 32U);
  EXPECT_EQ(seen.back().bytes_total, 32U);
  EXPECT_EQ(seen.back().files_complete, 3U);
}

TEST_F(FileFetcherTest, WhatACutConnectionBroughtIsKept) {
  FakeSource source(FakeSource::Texts{{"long", long_text_}});
  source.bytes_max = 3;
  const base::Status status = Fetch(source);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Text("long"), long_text_);
  EXPECT_EQ(source.reads, 13);  // three times 3 + 3 + 3 + 1, and 1
}

TEST_F(FileFetcherTest, WithoutRangesAFileBeginsAnew) {
  for (const bool sizes : {true, false}) {
    dir_.Remove("long");
    FakeSource source(FakeSource::Texts{{"long", long_text_}}, false, sizes);
    source.bytes_max = 20;
    source.before_read = [&] {
      if (source.reads == 3) source.bytes_max = SIZE_MAX;
      return base::OkStatus();
    };
    uint64_t last = 0;
    options_.on_progress = [&](const DownloadProgress& progress) { last = progress.bytes; };
    const base::Status status = Fetch(source);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Text("long"), long_text_);
    EXPECT_EQ(source.reads, 3);
    EXPECT_EQ(last, long_text_.size());
  }
}

TEST_F(FileFetcherTest, TriesEnd) {
  FakeSource source(FakeSource::Texts{{"short", "x"}});
  source.before_read = [] { return base::Unavailable("busy"); };
  const base::Status status = Fetch(source);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(source.reads, 3);
}

TEST_F(FileFetcherTest, TheFirstErrorEndsAll) {
  FakeSource source(FakeSource::Texts{{"a", long_text_}, {"b", long_text_}, {"c", long_text_}});
  source.before_read = [&] { return source.reads == 2 ? base::PermissionDenied("no") : base::OkStatus(); };
  const base::Status status = Fetch(source);
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(status.message(), "no");
}

TEST_F(FileFetcherTest, LimitsHoldWithAndWithoutSizes) {
  for (const bool sizes : {true, false}) {
    dir_.Remove("long");
    options_.bytes_max = 30;
    FakeSource source(FakeSource::Texts{{"long", long_text_}}, true, sizes);
    const base::Status status = Fetch(source);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(status.message(), HasSubstr("more than 30 bytes"));
  }
}

TEST_F(FileFetcherTest, AChecksumIsHeldAgainstTheBytes) {
  FakeSource source(FakeSource::Texts{{"short", "x"}});
  EXPECT_TRUE(Fetch(source, "9dd4e461268c8034f5c8564e155c67a6").ok());
  dir_.Remove("short");
  EXPECT_EQ(Fetch(source, "00000000000000000000000000000000").code(), StatusCode::kDataLoss);
}

TEST_F(FileFetcherTest, ARequestToStopEndsIt) {
  FakeSource source(FakeSource::Texts{{"long", long_text_}});
  std::stop_source stop;
  source.before_read = [&] {
    stop.request_stop();
    return base::OkStatus();
  };
  EXPECT_EQ(Fetch(source, {}, stop.get_token()).code(), StatusCode::kCancelled);
}

TEST_F(FileFetcherTest, AFileThatIsThereIsNotWrittenTo) {
  dir_.Write("short", "mine");
  FakeSource source(FakeSource::Texts{{"short", "x"}});
  EXPECT_EQ(Fetch(source).code(), StatusCode::kInternal);
  EXPECT_EQ(Text("short"), "mine");
}

}  // namespace
}  // namespace inferd::storage
