#include "storage/archive/unpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "storage/archive/archive_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

namespace fs = std::filesystem;
using base::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kNotValid = "Failed to unpack archive file. The file format is not valid.";

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class UnpackTest : public testing::Test {
 protected:
  UnpackTest() { dir_.MakeDir("out"); }

  base::Status Run(ArchiveKind kind, const UnpackLimits& limits = {}) {
    return Unpack(archive_, kind, out_, limits, {});
  }
  base::Status RunTar(const std::function<void(ArchiveWriter&)>& write, const UnpackLimits& limits = {}) {
    {
      ArchiveWriter writer(archive_, "pax");
      write(writer);
    }
    return Run(ArchiveKind::kTar, limits);
  }

  support::TempDir dir_;
  const fs::path archive_ = dir_.path() / "archive";
  const fs::path out_ = dir_.path() / "out";
};

TEST_F(UnpackTest, EveryFormatHasItsFilesAndFolders) {
  const struct {
    std::string format;
    bool gzip;
    ArchiveKind kind;
  } cases[] = {{"ustar", false, ArchiveKind::kTar},
               {"pax", true, ArchiveKind::kTar},
               {"gnutar", true, ArchiveKind::kTar},
               {"zip", false, ArchiveKind::kZip}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.format);
    dir_.Remove("out");
    dir_.MakeDir("out");
    {
      ArchiveWriter writer(archive_, one.format, one.gzip);
      writer.Folder("./1/")
          .File("./1/model.bin", std::string(100'000, 'x'))
          .File("run.sh", "#!", 0755)
          .File("empty", "");
      writer.Folder("nothing/inside/");
    }
    const base::Status status = Run(one.kind);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Read(out_ / "1/model.bin"), std::string(100'000, 'x'));
    EXPECT_TRUE(fs::is_directory(out_ / "nothing/inside"));
    EXPECT_EQ(fs::file_size(out_ / "empty"), 0U);
    EXPECT_EQ(fs::status(out_ / "run.sh").permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
    EXPECT_EQ(fs::status(out_ / "1/model.bin").permissions() & fs::perms::owner_exec, fs::perms::none);
  }
}

TEST_F(UnpackTest, KeepsNamesThatAreNotAscii) {
  for (const std::string format : {"ustar", "gnutar", "pax", "zip"}) {
    SCOPED_TRACE(format);
    dir_.Remove("out");
    dir_.MakeDir("out");
    {
      ArchiveWriter(archive_, format).File("模型.bin", "bytes");
    }
    const base::Status status = Run(format == "zip" ? ArchiveKind::kZip : ArchiveKind::kTar);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(Read(out_ / "模型.bin"), "bytes");
  }
}

TEST_F(UnpackTest, LinksInsideAreKept) {
  const base::Status status = RunTar([](ArchiveWriter& writer) {
    writer.Symlink("current", "versions/2")
        .File("versions/2/model.bin", "bytes")
        .Hardlink("same.bin", "./versions/2/model.bin");
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Read(out_ / "current/model.bin"), "bytes");
  EXPECT_EQ(Read(out_ / "same.bin"), "bytes");
}

TEST_F(UnpackTest, NothingComesOutsideOfTheFolder) {
  dir_.Write("secret", "kept");
  dir_.MakeDir("elsewhere");
  const std::string outside = (dir_.path() / "elsewhere").string();
  const struct {
    std::string name;
    std::function<void(ArchiveWriter&)> write;
    std::string message;
  } cases[] = {
      {"absolute path", [&](auto& w) { w.File(outside + "/x", "evil"); }, "the path is absolute"},
      {"path upwards", [](auto& w) { w.File("a/../../elsewhere/x", "evil"); }, "leads out"},
      {"folder upwards", [](auto& w) { w.Folder("../elsewhere/x"); }, "leads out"},
      {"backslash", [](auto& w) { w.File("..\\x", "evil"); }, "backslash"},
      {"absolute link", [&](auto& w) { w.Symlink("a", outside); }, "out of the archive"},
      {"link upwards", [](auto& w) { w.Symlink("a", "../elsewhere"); }, "out of the archive"},
      {"link to nothing", [](auto& w) { w.Symlink("a", "b"); }, "to nothing"},
      {"links in a circle", [](auto& w) { w.Symlink("a", "b").Symlink("b", "a"); }, "to nothing"},
      {"links that lead out together",
       [](auto& w) { w.Folder("1/2/3").Symlink("1/2/3/up", "../../..").Symlink("out", "1/2/3/up/../elsewhere"); },
       "out of the archive"},
      {"file through a link", [](auto& w) { w.Symlink("a", "../elsewhere").File("a/x", "evil"); },
       "something else of that name"},
      {"file onto a link", [&](auto& w) { w.Symlink("a", "../secret").File("a", "evil"); },
       "something else of that name"},
      {"link to a file outside", [](auto& w) { w.Hardlink("a", "../secret"); }, "leads out"},
      {"link to an absolute file", [&](auto& w) { w.Hardlink("a", outside + "/../secret"); }, "the path is absolute"},
      {"link to no file", [](auto& w) { w.Folder("d").Hardlink("a", "d"); }, "does not stand before it"},
      {"device", [](auto& w) { w.Special("a", AE_IFCHR); }, "neither a file, a folder nor a link"},
      {"pipe", [](auto& w) { w.Special("a", AE_IFIFO); }, "neither a file, a folder nor a link"},
      {"file twice", [](auto& w) { w.File("a", "1").File("a", "2"); }, "something else of that name"},
      {"file as a folder", [](auto& w) { w.File("a", "1").File("a/b", "2"); }, "something else of that name"},
      {"line's end", [](auto& w) { w.File("a\nb", "1"); }, "control character"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    dir_.Remove("out");
    dir_.MakeDir("out");
    const base::Status status = RunTar(one.write);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(one.message));
    EXPECT_TRUE(fs::is_empty(outside));
    EXPECT_EQ(Read(dir_.path() / "secret"), "kept");
  }
}

TEST_F(UnpackTest, ModesGiveNobodyMore) {
  const base::Status status = RunTar([](ArchiveWriter& writer) { writer.File("a", "x", 06755); });
  ASSERT_TRUE(status.ok()) << status.ToString();
  struct stat info{};
  ASSERT_EQ(stat((out_ / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & (S_ISUID | S_ISGID), 0U);
}

TEST_F(UnpackTest, LimitsHold) {
  const auto files = [](ArchiveWriter& writer) {
    writer.File("a", std::string(600, 'x')).File("b", std::string(600, 'x'));
  };
  EXPECT_TRUE(RunTar(files, {.bytes_max = 1200}).ok());
  for (const auto& [limits, message] : {
           std::pair{UnpackLimits{.bytes_max = 1199}, "more than 1199 bytes"},
           std::pair{UnpackLimits{.entries_max = 1}, "more than 1 entries"},
       }) {
    dir_.Remove("out");
    dir_.MakeDir("out");
    const base::Status status = RunTar(files, limits);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
  const base::Status deep = RunTar([](ArchiveWriter& writer) { writer.File("1/2/3/4", "x"); }, {.depth_max = 3});
  EXPECT_EQ(deep.code(), StatusCode::kResourceExhausted);
}

TEST_F(UnpackTest, WhatExpandsWithoutBoundIsStopped) {
  {
    ArchiveWriter(archive_, "pax", true).File("zeros", std::string(4 << 20, '\0'));
  }
  const base::Status status = Run(ArchiveKind::kTar, {.ratio_max = 100, .ratio_free_bytes = 1 << 20});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("more than 100 times as large as itself"));
  EXPECT_LT(fs::file_size(out_ / "zeros"), 2U << 20);
}

TEST_F(UnpackTest, WhatIsNoArchiveIsRefused) {
  for (const ArchiveKind kind : {ArchiveKind::kTar, ArchiveKind::kZip}) {
    for (const std::string& text : {std::string(), std::string("no archive"), std::string(20'000, 'x')}) {
      dir_.Write("archive", text);
      const base::Status status = Run(kind);
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(), StartsWith(kNotValid));
    }
  }
}

TEST_F(UnpackTest, ACutArchiveIsRefused) {
  for (const std::string format : {"pax", "zip"}) {
    for (const size_t left : {20'000U, 50'000U, 99'000U}) {
      {
        ArchiveWriter(archive_, format, format == "pax").File("random", [] {
          std::string noise(100'000, '\0');
          uint32_t state = 1;
          for (char& byte : noise) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
          return noise;
        }());
      }
      fs::resize_file(archive_, left);
      dir_.Remove("out");
      dir_.MakeDir("out");
      const base::Status status = Run(format == "zip" ? ArchiveKind::kZip : ArchiveKind::kTar);
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << format << ' ' << left << status.ToString();
      EXPECT_THAT(status.message(), HasSubstr(std::string(kNotValid)));
    }
  }
}

TEST_F(UnpackTest, ARequestToStopEndsIt) {
  {
    ArchiveWriter(archive_, "pax").File("a", "x");
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Unpack(archive_, ArchiveKind::kTar, out_, {}, stop.get_token()).code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace inferd::storage
