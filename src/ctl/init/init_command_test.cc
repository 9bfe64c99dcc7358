#include <gmock/gmock.h>

#include <sstream>

#include "ctl/commands.h"
#include "tests/support/temp_dir.h"

// tests/integration/test_inferctl_init.py tests the checks, because no inferd stands beside this program.

namespace inferd::ctl {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class InitCommandTest : public ::testing::Test {
 protected:
  InitCommandTest() {
    folder_.Write("saved/saved_model.pb", "graph");
    folder_.Write("configured/model.py", "");
    folder_.Write("configured/config.pbtxt", "max_batch_size: 1");
  }

  InitArguments Arguments(const std::string& given) const {
    InitArguments arguments;
    arguments.path = folder_.path() / given;
    arguments.repository = folder_.path() / "models";
    arguments.no_check = true;
    return arguments;
  }
  // Returns the text, or the error.
  static std::string Run(const InitArguments& arguments, bool json = false) {
    std::ostringstream text;
    const auto status = Init(arguments, {text, json});
    return status.has_value() ? text.str() : "error: " + status.error().message();
  }
  bool Exists(const std::string& path) const { return fs::exists(folder_.path() / "models" / path); }

  support::TempDir folder_;
};

TEST_F(InitCommandTest, TellsWhatToTypeNext) {
  const std::string text = Run(Arguments("saved"));
  EXPECT_THAT(text, HasSubstr("models/saved/1  copied from "));
  EXPECT_THAT(text, HasSubstr("Serve it:\n  inferd " + (folder_.path() / "models").string() + "\n"));
  EXPECT_THAT(text, HasSubstr("  inferctl infer saved --fill zeros\n"));
  EXPECT_TRUE(Exists("saved/1/saved_model.pb"));
  EXPECT_FALSE(Exists("saved/config.pbtxt"));
}

TEST_F(InitCommandTest, PrintsJson) {
  InitArguments arguments = Arguments("configured");
  arguments.name = "named";
  arguments.link = true;
  const std::string text = Run(arguments, true);
  EXPECT_THAT(text, HasSubstr(R"("model": "named")"));
  EXPECT_THAT(text, HasSubstr(R"("linked": true)"));
  EXPECT_THAT(text, HasSubstr(R"("to": "config.pbtxt")"));
  EXPECT_THAT(text, HasSubstr(R"("checked": false)"));
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "models/named/1"));
}

TEST_F(InitCommandTest, AModelThatIsThereNeedsAnotherVersion) {
  InitArguments arguments = Arguments("saved");
  ASSERT_THAT(Run(arguments), HasSubstr("Serve it"));
  EXPECT_THAT(Run(arguments), HasSubstr("with the version 1. Add this file as version 2 with --version next"));
  arguments.version = "1";
  EXPECT_THAT(Run(arguments), HasSubstr("The next free version is 2"));
  arguments.version = "7";
  ASSERT_THAT(Run(arguments), HasSubstr("models/saved/7"));
  arguments.version = "next";
  ASSERT_THAT(Run(arguments), HasSubstr("models/saved/8"));
  arguments.version = "3";
  EXPECT_THAT(Run(arguments), HasSubstr("warning: version 8 is newer"));
  for (const char* wrong : {"01", "-1", "1.5", "new", "99999999999999999999"}) {
    arguments.version = wrong;
    EXPECT_THAT(Run(arguments), HasSubstr("error: --version is a number or 'next'")) << wrong;
  }
}

TEST_F(InitCommandTest, AConfigurationIsTheModels) {
  folder_.Write("mine.pbtxt", "max_batch_size: 2");
  InitArguments arguments = Arguments("configured");
  arguments.configuration = folder_.path() / "mine.pbtxt";
  ASSERT_THAT(Run(arguments), HasSubstr("config.pbtxt  copied from " + arguments.configuration));
  arguments.version = "next";
  EXPECT_THAT(Run(arguments), HasSubstr("share one configuration"));
  EXPECT_FALSE(Exists("configured/2"));
  arguments.configuration.clear();
  EXPECT_THAT(Run(arguments), HasSubstr("the folder's config.pbtxt was not taken"));
  EXPECT_TRUE(Exists("configured/2/model.py"));
}

TEST_F(InitCommandTest, ErrorsMakeNothing) {
  InitArguments arguments = Arguments("gone.onnx");
  EXPECT_THAT(Run(arguments), HasSubstr("error: there is no "));
  arguments = Arguments("saved");
  arguments.name = "a/b";
  EXPECT_THAT(Run(arguments), HasSubstr("error: 'a/b' is no name of a model"));
  std::swap(arguments.name, arguments.path);
  arguments.name = folder_.path() / "saved";
  EXPECT_THAT(Run(arguments), HasSubstr("the name comes before the file: inferctl init a/b " + arguments.name));
  EXPECT_FALSE(Exists(""));
}

}  // namespace
}  // namespace inferd::ctl
