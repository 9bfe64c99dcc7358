#include <gmock/gmock.h>

#include <sstream>

#include "ctl/command_line.h"
#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;

struct Ran {
  int status;
  std::string out, err;
};

Ran RunWords(std::vector<std::string> words) {
  words.insert(words.begin(), "inferctl");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const int status = RunInferctl(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {status, out.str(), err.str()};
}

TEST(SetupSubcommandsTest, HelpHasExamples) {
  const Ran ran = RunWords({"init", "--help"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("[NAME] FILE|FOLDER"));
  EXPECT_THAT(ran.out, HasSubstr("inferctl init iris.onnx --version next"));
  EXPECT_THAT(RunWords({"doctor", "--help"}).out, HasSubstr("inferctl doctor --repository /srv/models"));
  EXPECT_THAT(RunWords({"import", "--help"}).out, HasSubstr("inferctl import triton /srv/model_repository"));
}

TEST(SetupSubcommandsTest, InitTakesANameAndAFile) {
  const support::TempDir folder;
  folder.Write("saved/MLmodel", "");
  const std::string repository = folder.path() / "models";
  const Ran ran = RunWords({"init", "mine", folder.path() / "saved", "--repository", repository, "--no-check"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(repository + "/mine/1/MLmodel"));
  EXPECT_EQ(RunWords({"init"}).status, 2);
  EXPECT_EQ(RunWords({"init", "a", "b", "c"}).status, 2);
  EXPECT_EQ(RunWords({"init", "saved", "--config", folder.path() / "none"}).status, 2);
}

TEST(SetupSubcommandsTest, DoctorTakesAServer) {
  const support::TempDir folder;
  const Ran ran = RunWords({"doctor", "--server", "http://127.0.0.1:1", "--repository", folder.path(), "-o", "json"});
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("none answers: http://127.0.0.1:1"));
  EXPECT_EQ(RunWords({"doctor", "--grpc-port", "0"}).status, 2);
}

TEST(SetupSubcommandsTest, ImportTakesAServerAndAFolder) {
  const support::TempDir folder;
  EXPECT_EQ(RunWords({"import", "triton"}).status, 2);
  EXPECT_EQ(RunWords({"import", "seldon", folder.path()}).status, 2);
  EXPECT_EQ(RunWords({"import", "triton", folder.path() / "none"}).status, 2);
  const Ran ran = RunWords({"import", "torchserve", folder.path()});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("has no .mar files"));
}

}  // namespace
}  // namespace inferd::ctl
