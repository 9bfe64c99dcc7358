#include "kserve/node/revision.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "data/manifest/read.h"
#include "kserve/model/api/annotations.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

namespace fs = std::filesystem;

class RevisionTest : public ::testing::Test {
 protected:
  // Starts a revision whose replica copies its model to FOLDER/NAMESPACE.seen.
  std::unique_ptr<Revision> Start(const std::string& namespace_name, const std::string& source) {
    model::ResolvedPod pod;
    pod.namespace_name = namespace_name;
    pod.annotations[model::kStorageSourceAnnotation] = source;
    const std::string seen = Seen(namespace_name).string();
    const std::string script = "cat $MODEL/* > " + seen + ".new; mv " + seen + ".new " + seen + "; exec sleep 1000";
    pod.pod_spec =
        manifest::ReadYaml(
            "containers: [{command: [sh, -c, '" + script + "'], env: [{name: MODEL, value: /mnt/models}]}]", "pod.yaml")
            .value()
            .front();
    auto revision = std::make_unique<Revision>("same-00001", std::move(pod), model::KnativeSettings{}, options_,
                                               model::ScaleTime(0));
    revision->Tick(model::ScaleTime(0));
    return revision;
  }
  fs::path Seen(const std::string& namespace_name) const { return folder_.path() / (namespace_name + ".seen"); }
  std::string AwaitSeen(const std::string& namespace_name) const {
    while (!fs::exists(Seen(namespace_name))) std::this_thread::yield();
    std::ifstream in(Seen(namespace_name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const support::TempDir folder_;
  NodeOptions options_{.folder = (folder_.path() / "models").string(),
                       .programs_folder = {},
                       .environment = {},
                       .wake = [] {},
                       .on_log = [](const std::string&) {}};
};

// Each namespace has its own model, even if the names are equal.
TEST_F(RevisionTest, OneOfTheSameNameInAnotherNamespaceHasAnotherModel) {
  folder_.Write("one/model", "one");
  folder_.Write("two/model", "two");
  const auto one = Start("a", (folder_.path() / "one").string());
  const auto two = Start("b", (folder_.path() / "two").string());
  EXPECT_EQ(AwaitSeen("a"), "one");
  EXPECT_EQ(AwaitSeen("b"), "two");
}

}  // namespace
}  // namespace inferd::node
