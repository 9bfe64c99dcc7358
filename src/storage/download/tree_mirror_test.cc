#include "storage/download/tree_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

#include "storage/fetch/fake_source.h"
#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// A source whose files may change.
class ChangingSource final : public Source {
 public:
  explicit ChangingSource(const FakeSource::Texts& texts) : texts_(texts) {}
  std::string Place() const override { return "fake"; }
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override {
    if (!fault.ok()) return std::unexpected(fault);
    current_ = std::make_unique<FakeSource>(texts_);
    current_->before_read = [this]() -> base::Status { return read_fault; };
    return current_->List(stop);
  }
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override {
    read.push_back(file.key);
    if (file.key == bad) return base::PermissionDenied("not for you");
    return current_->Read(file, range, sink, stop);
  }

  base::Status fault, read_fault;
  std::string bad;
  std::vector<std::string> read;

 private:
  const FakeSource::Texts& texts_;
  std::unique_ptr<FakeSource> current_;
};

class TreeMirrorTest : public ::testing::Test {
 protected:
  void Start(MirrorLayout layout = MirrorLayout::kModels) {
    DownloadOptions options;
    options.fetch.retry.attempts = 1;
    options.fetch.parallel = 1;
    auto source = std::make_unique<ChangingSource>(texts_);
    source_ = source.get();
    mirror_ = std::make_unique<TreeMirror>(std::move(source), dir_.path(), layout, options);
  }
  std::map<std::string, std::string> Content() const {
    std::map<std::string, std::string> content;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      content[entry.path().lexically_relative(dir_.path()).string()] = (std::ostringstream() << file.rdbuf()).str();
    }
    return content;
  }
  ino_t InodeOf(const std::string& path) const {
    struct stat info{};
    EXPECT_EQ(stat((dir_.path() / path).c_str(), &info), 0);
    return info.st_ino;
  }
  std::string Sync() {
    const auto changed = mirror_->Sync({});
    return changed.has_value() ? std::to_string(*changed) : std::string(changed.error().message());
  }

  support::TempDir dir_;
  FakeSource::Texts texts_ = {{"a/1/m", "a1"}, {"a/config", "c"}, {"b/1/m", "b1"}, {"beside", "x"}};
  ChangingSource* source_ = nullptr;
  std::unique_ptr<TreeMirror> mirror_;
};

TEST_F(TreeMirrorTest, ModelsComeChangeAndGo) {
  Start();
  EXPECT_EQ(Sync(), "2");
  EXPECT_THAT(Content(), ElementsAre(Pair("a/1/m", "a1"), Pair("a/config", "c"), Pair("b/1/m", "b1")));
  source_->read.clear();
  EXPECT_EQ(Sync(), "0");
  EXPECT_THAT(source_->read, IsEmpty());
  const ino_t first = InodeOf("a/1/m");
  texts_["a/2/m"] = "a2";
  texts_.erase("b/1/m");
  texts_["c/1/m"] = "c1";
  EXPECT_EQ(Sync(), "3");
  EXPECT_THAT(Content(),
              ElementsAre(Pair("a/1/m", "a1"), Pair("a/2/m", "a2"), Pair("a/config", "c"), Pair("c/1/m", "c1")));
  // An unchanged version keeps the same files.
  EXPECT_EQ(InodeOf("a/1/m"), first);
  texts_.erase("a/1/m");
  texts_["a/config"] = "d";
  EXPECT_EQ(Sync(), "1");
  EXPECT_THAT(Content(), ElementsAre(Pair("a/2/m", "a2"), Pair("a/config", "d"), Pair("c/1/m", "c1")));
}

TEST_F(TreeMirrorTest, WhatFailsLeavesWhatWas) {
  Start();
  Sync();
  const auto before = Content();
  source_->fault = base::Unavailable("away");
  EXPECT_EQ(Sync(), "away");
  source_->fault = base::NotFound("nothing there");
  EXPECT_EQ(Sync(), "nothing there");
  EXPECT_EQ(Content(), before);
  source_->fault = {};
  // One model's error does not affect the others.
  texts_["a/1/m"] = "new";
  texts_["b/1/m"] = "new";
  source_->bad = "a/1/m";
  EXPECT_THAT(Sync(), AllOf(HasSubstr("a: "), HasSubstr("not for you")));
  EXPECT_EQ(Content().at("a/1/m"), "a1");
  EXPECT_EQ(Content().at("b/1/m"), "new");
  source_->bad.clear();
  EXPECT_EQ(Sync(), "1");
  EXPECT_EQ(Content().at("a/1/m"), "new");
}

TEST_F(TreeMirrorTest, OneModelsVersions) {
  texts_ = {{"1/m", "one"}, {"2/m", "two"}};
  Start(MirrorLayout::kOneModel);
  EXPECT_EQ(Sync(), "1");
  texts_.erase("1/m");
  EXPECT_EQ(Sync(), "1");
  EXPECT_THAT(Content(), ElementsAre(Pair("model/2/m", "two")));
}

TEST_F(TreeMirrorTest, PathsThatLeadOutAreRefused) {
  texts_ = {{"a/../../x", "x"}};
  Start();
  EXPECT_FALSE(mirror_->Sync({}).has_value());
  EXPECT_THAT(Content(), IsEmpty());
}

}  // namespace
}  // namespace inferd::storage
