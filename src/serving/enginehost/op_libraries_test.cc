#include "serving/enginehost/op_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace inferd::enginehost {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OpLibrariesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "op-libraries-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = fs::canonical(pattern);
    for (const char* folder : {"allowed", "allowed-not", "models/m/1"}) fs::create_directories(root_ / folder);
    for (const char* file : {"allowed/a.so", "allowed-not/b.so", "models/m/own.so"}) std::ofstream(root_ / file) << "x";
    fs::create_symlink(root_ / "allowed-not" / "b.so", root_ / "allowed" / "out.so");
    fs::create_symlink(root_ / "allowed" / "a.so", root_ / "models/m/in.so");
  }
  void TearDown() override { fs::remove_all(root_); }

  base::Result<std::vector<std::string>> Find(const std::string& name, std::vector<fs::path> allowed) {
    return FindOpLibraries({name}, root_ / "models" / "m", allowed);
  }
  std::string Refusal(const std::string& name, std::vector<fs::path> allowed) {
    const auto found = Find(name, std::move(allowed));
    return found.has_value() ? "found" : found.error().message();
  }

  fs::path root_;
};

TEST_F(OpLibrariesTest, NoneIsOpenedUnlessAFolderIsAllowed) {
  EXPECT_THAT(Refusal("own.so", {}), HasSubstr("without --allow-op-library"));
  EXPECT_THAT(Refusal("/nowhere.so", {}), HasSubstr("without --allow-op-library"));
}

TEST_F(OpLibrariesTest, WhatLiesInAnAllowedFolderIsFound) {
  const std::string library = root_ / "allowed" / "a.so";
  EXPECT_THAT(*Find(library, {root_ / "allowed"}), ElementsAre(library));
  EXPECT_THAT(*Find(library, {"/"}), ElementsAre(library));
  EXPECT_THAT(*Find("own.so", {root_ / "models"}), ElementsAre(root_ / "models/m/own.so"));
  EXPECT_THAT(*Find("in.so", {root_ / "allowed"}), ElementsAre(library)) << "as a ConfigMap links its files";
}

TEST_F(OpLibrariesTest, LinksAndDotsDoNotLeadOut) {
  for (const std::string name : {root_ / "allowed/out.so", root_ / "allowed/../allowed-not/b.so",
                                 root_ / "allowed-not/b.so", root_ / "allowed/none.so"}) {
    EXPECT_THAT(Refusal(name, {root_ / "allowed"}), HasSubstr("not in a folder")) << name;
  }
  EXPECT_THAT(Refusal("own.so", {root_ / "allowed"}), HasSubstr("not in a folder"));
  EXPECT_THAT(Refusal(root_ / "allowed", {root_ / "allowed"}), HasSubstr("no regular file"));
}

TEST_F(OpLibrariesTest, WhatAClientSentIsNeverFound) {
  const fs::path sent = root_ / "allowed" / "inferd-load-Ab12Cd" / "1" / "evil.so";
  fs::create_directories(sent.parent_path());
  std::ofstream(sent) << "x";
  EXPECT_THAT(Refusal(sent, {root_ / "allowed"}), HasSubstr("never run"));
  fs::create_symlink(sent, root_ / "allowed/linked.so");
  EXPECT_THAT(Refusal(root_ / "allowed/linked.so", {"/"}), HasSubstr("never run"));
}

TEST_F(OpLibrariesTest, AModelThatIsCodeRunsByTheSameRules) {
  const fs::path model = root_ / "models/m/1/model.pt2";
  std::ofstream(model) << "x";
  const auto check = [&](std::vector<fs::path> allowed) { return CheckCodeOfModel(model, allowed).message(); };
  EXPECT_THAT(check({}), HasSubstr("model file 'model.pt2' is not opened: it is code"));
  EXPECT_THAT(check({root_ / "allowed"}), HasSubstr("not in a folder"));
  EXPECT_EQ(check({root_ / "models"}), "");
}

TEST_F(OpLibrariesTest, FoldersAreListedWithColons) {
  EXPECT_THAT(OpLibraryFolders("/a:/b c::/d"), ElementsAre("/a", "/b c", "/d"));
  EXPECT_TRUE(OpLibraryFolders("").empty());
}

}  // namespace
}  // namespace inferd::enginehost
