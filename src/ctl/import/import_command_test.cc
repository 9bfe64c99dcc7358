#include <gmock/gmock.h>

#include <sstream>

#include "ctl/commands.h"
#include "data/zip/zip_fixture.h"
#include "tests/support/temp_dir.h"

// tests/integration/test_inferctl_import.py tests what inferd says, because no inferd stands beside this program.

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the exit status and the text, or the error.
std::string RunImport(const std::string& server, const std::string& folder, bool json = false) {
  std::ostringstream text;
  const auto status = Import({.server = server, .folder = folder}, {text, json});
  return status.has_value() ? std::to_string(*status) + ": " + text.str() : "error: " + status.error().message();
}

TEST(ImportCommandTest, TellsWhatEachModelNeeds) {
  const support::TempDir folder;
  folder.Write("a/model-settings.json", R"({"name": "own\u001b", "implementation": "mine.Model"})");
  folder.Write("b/model-settings.json", R"({"name": "old", "implementation": "mlserver_sklearn.SKLearnModel"})");
  folder.Write("b/model.joblib", "");
  folder.Write("c/model-settings.json", "{");
  const std::string text = RunImport("mlserver", folder.path());
  EXPECT_THAT(text, HasSubstr("1: own\\x1b:\n  needs: its class mine.Model is code"));
  EXPECT_THAT(text, HasSubstr("old: was not tried\n  note: reading its file runs its author's code"));
  EXPECT_THAT(text, HasSubstr("not read: "));
  EXPECT_THAT(text, HasSubstr("0 of 2 models work as they are\n"));
  EXPECT_THAT(text, HasSubstr("inferd old=" + (folder.path() / "b/model.joblib").string() + " --allow-pickle old\n"));
}

TEST(ImportCommandTest, PrintsJson) {
  const support::TempDir folder;
  const std::string manifest = R"({"model": {"modelName": "net", "serializedFile": "net.pt"}})";
  folder.Write("net.mar",
               zip::PackZip({{.name = "MAR-INF/MANIFEST.json", .bytes = manifest, .size = manifest.size()}}));
  const std::string text = RunImport("torchserve", folder.path(), true);
  EXPECT_THAT(text, HasSubstr(R"("verdict": "needs")"));
  EXPECT_THAT(text, HasSubstr(R"("command": "")"));
}

TEST(ImportCommandTest, KnowsItsServers) {
  EXPECT_THAT(ImportedServers(), ElementsAre("mlserver", "ovms", "tfs", "torchserve", "triton"));
  EXPECT_THAT(RunImport("seldon", "."), HasSubstr("error: there is no import from 'seldon'"));
  EXPECT_THAT(RunImport("triton", "/no/such/folder"), HasSubstr("error: there is no folder"));
}

}  // namespace
}  // namespace inferd::ctl
