#include "config/format/file_kind.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "data/zip/zip_fixture.h"

namespace inferd::config {
namespace {

using namespace std::string_view_literals;
using zip::MakeZip;

class FileKindTest : public ::testing::Test {
 protected:
  FileKindTest() { std::filesystem::create_directories(folder_); }
  ~FileKindTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(std::string_view content, const std::string& name = "file") {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  FileKind KindOf(std::string_view content) {
    const auto kind = IdentifyFile(Write(content));
    EXPECT_TRUE(kind.has_value()) << kind.error().ToString();
    return kind.value_or(FileKind::kUnknown);
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("file_kind_" + std::to_string(getpid()));
};

TEST_F(FileKindTest, EveryKindHasAName) {
  for (auto kind = FileKind::kUnknown; kind <= FileKind::kProgram; kind = FileKind(int(kind) + 1)) {
    EXPECT_FALSE(Describe(kind).empty()) << int(kind);
  }
}

TEST_F(FileKindTest, ArchivesAreToldByTheNamesInThem) {
  for (const bool large : {false, true}) {
    EXPECT_EQ(KindOf(MakeZip({"net/data.pkl", "net/data/0", "net/code/__torch__.py", "net/constants.pkl"}, large)),
              FileKind::kTorchScript);
    EXPECT_EQ(KindOf(MakeZip({"net/data.pkl", "net/data/0", "net/version"}, large)), FileKind::kTorchSave);
  }
  EXPECT_EQ(KindOf(MakeZip({"net/model.json", "net/code/net.py"})), FileKind::kTorchScript) << "of PyTorch 1.0";
  EXPECT_EQ(KindOf(MakeZip({"net/archive_format", "net/models/model.json"})), FileKind::kTorchExport);
  EXPECT_EQ(KindOf(MakeZip({"schema.json", "1.npy"})), FileKind::kSkops);
  EXPECT_EQ(KindOf(MakeZip({"metadata.json", "config.json", "model.weights.h5"})), FileKind::kKeras);
  EXPECT_EQ(KindOf(MakeZip({"a.txt"})), FileKind::kZip);
  EXPECT_EQ(KindOf(MakeZip({})), FileKind::kZip);
}

TEST_F(FileKindTest, ArchivesThatAreCutOffOrLieAreJustArchives) {
  const std::string whole = MakeZip({"net/data.pkl", "net/constants.pkl"}, true);
  for (size_t size = 4; size < whole.size(); ++size) EXPECT_EQ(KindOf(whole.substr(0, size)), FileKind::kZip) << size;
  for (size_t at = 4; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = '\xff';
    EXPECT_NE(KindOf(broken), FileKind::kUnknown) << at;
  }
}

TEST_F(FileKindTest, WhatLiesBeforeTheDirectoryDoesNotMatter) {
  // A large model's code follows its tensors, far beyond the part of the beginning that is read.
  std::string archive = MakeZip({"net/data.pkl", "net/code/a.py"});
  const std::string offset = archive.substr(archive.size() - 6, 4);
  const size_t begin = static_cast<unsigned char>(offset[0]);
  archive.insert(begin, std::string(300'000, '\0'));
  archive.replace(archive.size() - 6, 4, zip::LittleEndian(begin + 300'000, 4));
  EXPECT_EQ(KindOf(archive), FileKind::kTorchScript);
}

TEST_F(FileKindTest, PicklesAndWhatPacksThem) {
  EXPECT_EQ(KindOf("\x80\x04\x95"sv), FileKind::kPickle);
  EXPECT_EQ(KindOf("\x80\x02}q\x00."sv), FileKind::kPickle);
  EXPECT_EQ(KindOf("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv), FileKind::kTorchSave);
  EXPECT_EQ(KindOf("\x78\x9c\x01\x02"sv), FileKind::kCompressed);
  EXPECT_EQ(KindOf("\x1f\x8b\x08\x00"sv), FileKind::kCompressed);
}

TEST_F(FileKindTest, Forests) {
  EXPECT_EQ(KindOf(R"({"learner":{"attributes":{}},"version":[3,2,0]})"), FileKind::kXgboostJson);
  EXPECT_EQ(KindOf("{\n  \"version\": [3, 2, 0],\n  \"learner\" : {"), FileKind::kXgboostJson);
  EXPECT_EQ(KindOf("{L\0\0\0\0\0\0\0\7learner{"sv), FileKind::kXgboostUbj);
  EXPECT_EQ(KindOf("{i\7version[$l#i\3"sv), FileKind::kXgboostUbj);
  EXPECT_EQ(KindOf("binf\0\0\0\x3f"sv), FileKind::kXgboostBinary);
  EXPECT_EQ(KindOf("tree\nversion=v4\nnum_class=1\n"), FileKind::kLightGbm);
  EXPECT_EQ(KindOf("\4\0\0\0\1\0\0\0\0\0\0\0\3\3\0\0\0\0"sv), FileKind::kTreelite);
  EXPECT_EQ(KindOf(R"({"learners": [], "x": "learner"})"), FileKind::kUnknown);
  EXPECT_EQ(KindOf("{\"labels\": [\"a\"]}"), FileKind::kUnknown);
  EXPECT_EQ(KindOf("setosa\nversicolor\n"), FileKind::kUnknown);
}

TEST_F(FileKindTest, OtherFormats) {
  EXPECT_EQ(KindOf("\x08\x07\x12\x07pytorch"sv), FileKind::kOnnx);
  EXPECT_EQ(KindOf("\x08\x01\x12\x80\x01\x0a"sv), FileKind::kSavedModel);
  EXPECT_EQ(KindOf("\x1c\0\0\0TFL3\0"sv), FileKind::kTfLite);
  EXPECT_EQ(KindOf("\x89HDF\r\n\x1a\n"sv), FileKind::kHdf5);
  EXPECT_EQ(KindOf("ptrt\0\0"sv), FileKind::kTensorRtPlan);
  EXPECT_EQ(KindOf("\x10\0\0\0\0\0\0\0{\"weight\":"sv), FileKind::kSafetensors);
  EXPECT_EQ(KindOf(R"({"nodes": [{"op": "null", "name": "data"}], "arg_nodes": [0]})"), FileKind::kMxnetSymbol);
  EXPECT_EQ(KindOf(R"({"base_code":{"magic":"pir","version":1}})"), FileKind::kPaddlePir);
  EXPECT_EQ(KindOf("<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<net name=\"n\" version=\"11\">"),
            FileKind::kOpenVinoIr);
  EXPECT_EQ(KindOf("\xef\xbb\xbf<?xml version=\"1.0\"?><PMML version=\"4.4\">"), FileKind::kPmml);
  EXPECT_EQ(KindOf("<?xml version=\"1.0\""), FileKind::kUnknown);
  EXPECT_EQ(KindOf("<nets>"), FileKind::kUnknown);
}

TEST_F(FileKindTest, WhatIsNoModel) {
  EXPECT_EQ(KindOf(""), FileKind::kEmpty);
  EXPECT_EQ(KindOf("<!DOCTYPE html><html>"), FileKind::kHtml);
  EXPECT_EQ(KindOf("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"), FileKind::kGitLfs);
  EXPECT_EQ(KindOf("\x7f"
                   "ELF\2\1"),
            FileKind::kProgram);
  EXPECT_EQ(IdentifyFile(folder_).value_or(FileKind::kUnknown), FileKind::kFolder);
}

TEST_F(FileKindTest, WhatCannotBeReadIsAnErrorAndNotWaitedFor) {
  EXPECT_EQ(IdentifyFile(folder_ / "none").error().code(), base::StatusCode::kNotFound);
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(IdentifyFile(folder_ / "pipe").has_value());
  std::filesystem::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(IdentifyFile(folder_ / "loop").has_value());
  if (geteuid() != 0) {
    const auto locked = Write("binf", "locked");
    chmod(locked.c_str(), 0);
    EXPECT_FALSE(IdentifyFile(locked).has_value());
  }
}

TEST_F(FileKindTest, LinksAreFollowed) {
  Write("binf", "target");
  std::filesystem::create_symlink("target", folder_ / "link");
  EXPECT_EQ(IdentifyFile(folder_ / "link").value_or(FileKind::kUnknown), FileKind::kXgboostBinary);
}

TEST_F(FileKindTest, OfAHugeFileOnlyTheBeginningIsRead) {
  const auto path = Write("tree\nversion=v4\n");
  std::filesystem::resize_file(path, uint64_t{1} << 40);
  EXPECT_EQ(IdentifyFile(path).value_or(FileKind::kUnknown), FileKind::kLightGbm);
  const auto archive = Write("PK\3\4", "archive");
  std::filesystem::resize_file(archive, uint64_t{1} << 40);
  EXPECT_EQ(IdentifyFile(archive).value_or(FileKind::kUnknown), FileKind::kZip);
}

}  // namespace
}  // namespace inferd::config
