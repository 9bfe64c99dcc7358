#include "kserve/local/access/client_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "kserve/kubernetes/access/kubeconfig.h"
#include "storage/source/fake_environment.h"
#include "tests/support/temp_dir.h"

namespace inferd::local {
namespace {

namespace fs = std::filesystem;
using storage::FakeEnvironment;

TEST(ClientFolderTest, IsTheFirstThatCanBeThisUsers) {
  const support::TempDir folder;
  const std::string base = folder.path().string();
  folder.Write("file", "");
  folder.MakeDir("run");
  const auto made = [&](const std::string& runtime, const std::string& state) {
    return MakeClientFolder(base + "/given",
                            FakeEnvironment({{"XDG_RUNTIME_DIR", runtime}, {"XDG_STATE_HOME", state}}));
  };
  EXPECT_EQ(made(base + "/run", base + "/state"), base + "/run/inferd");
  EXPECT_TRUE(fs::is_directory(base + "/run/inferd"));
  EXPECT_EQ(made(base + "/none", base + "/state"), base + "/state/inferd");
  EXPECT_FALSE(fs::exists(base + "/none"));
  EXPECT_EQ(made(base + "/file", base + "/state"), base + "/state/inferd");
  folder.MakeDir(std::string(100, 'x'));
  EXPECT_EQ(made(base + "/" + std::string(100, 'x'), base + "/state"), base + "/state/inferd")
      << "too long for a socket";
  EXPECT_EQ(made("", ""), base + "/given");
  EXPECT_EQ(MakeClientFolder("state", FakeEnvironment({})), (fs::current_path() / "state").string());
}

TEST(KubeconfigTextTest, HasWhatEachClientNeeds) {
  // Without quotes, YAML would read such a token as a number.
  const std::string token = std::string(62, '1') + "e5";
  const ApiKeys keys{.token = token, .authority = "-----BEGIN CERTIFICATE-----\nA\n", .certificate = {}};
  const auto config = kubernetes::ReadKubeconfig(KubeconfigText("127.0.0.1:8079", "/run/a b.sock", keys), "file");
  ASSERT_TRUE(config.has_value()) << config.error().message();
  const auto access = kubernetes::ResolveContext(*config, "");
  ASSERT_TRUE(access.has_value()) << access.error().message();
  EXPECT_EQ(config->current_context, "inferd-8079");
  EXPECT_EQ(access->server, "https://127.0.0.1:8079");
  EXPECT_EQ(access->authorities, keys.authority);
  EXPECT_EQ(access->unix_socket, "/run/a b.sock");
  EXPECT_EQ(access->user.token, token);
  EXPECT_EQ(access->namespace_name, "default");
}

TEST(ExportLineTest, IsQuotedIfTheShellNeedsIt) {
  EXPECT_EQ(ExportLine("/run/user/1000/inferd/controller-8079.kubeconfig"),
            "export KUBECONFIG=/run/user/1000/inferd/controller-8079.kubeconfig");
  EXPECT_EQ(ExportLine("/a b/it's"), "export KUBECONFIG='/a b/it'\\''s'");
}

TEST(KubeconfigFileTest, ATemporaryOneGoesWithItsController) {
  const support::TempDir folder;
  for (const bool temporary : {false, true}) {
    const fs::path path = folder.path() / (temporary ? "temporary" : "kept");
    {
      KubeconfigFile file;
      ASSERT_TRUE(file.Write(path.string(), "text", temporary).ok());
      EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_EQ(fs::exists(path), !temporary);
  }
}

}  // namespace
}  // namespace inferd::local
