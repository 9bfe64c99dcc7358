#include "kserve/kubernetes/access/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/source/fake_environment.h"
#include "tests/support/temp_dir.h"

namespace inferd::kubernetes {
namespace {

using base::StatusCode;
using storage::FakeEnvironment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// "-----BEGIN X-----" in base64.
constexpr const char* kPem = "LS0tLS1CRUdJTiBYLS0tLS0=";

const std::string kFile = std::string(R"(
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: east
  cluster:
    server: https://10.0.0.1:6443/base/
    certificate-authority-data: )") +
                          kPem + R"(
    tls-server-name: api.example
- name: west
  cluster: {server: "https://west", certificate-authority: pki/ca.crt}
- name: open
  cluster: {server: "https://open", insecure-skip-tls-verify: true}
users:
- name: certified
  user: {client-certificate: /pki/me.crt, client-key: pki/me.key}
- name: told
  user: {token: secret, tokenFile: tok}
- name: plugged
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/plug
      args: [a, b]
      env: [{name: X, value: "1"}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
      installHint: get it
- name: nothing
contexts:
- name: one
  context: {cluster: east, user: certified, namespace: models}
- name: two
  context: {cluster: west, user: told}
- name: three
  context: {cluster: open, user: plugged}
- name: four
  context: {cluster: open}
- name: five
  context: {cluster: open, user: nothing}
- name: lost
  context: {cluster: gone, user: told}
- name: friendless
  context: {cluster: open, user: gone}
)";

ClusterAccess Resolve(const std::string& context) {
  const auto config = ReadKubeconfig(kFile, "/home/me/.kube/config");
  if (!config.has_value()) {
    ADD_FAILURE() << config.error().message();
    return {};
  }
  const auto access = ResolveContext(*config, context);
  EXPECT_TRUE(access.has_value()) << access.error().message();
  return access.value_or(ClusterAccess());
}

TEST(KubeconfigTest, AContextIsAClusterAndAUser) {
  const ClusterAccess one = Resolve("");
  EXPECT_EQ(one.server, "https://10.0.0.1:6443/base");
  EXPECT_EQ(one.authorities, "-----BEGIN X-----");
  EXPECT_EQ(one.server_name, "api.example");
  EXPECT_EQ(one.namespace_name, "models");
  EXPECT_EQ(one.user.certificate_file, "/pki/me.crt");
  EXPECT_EQ(one.user.private_key_file, "/home/me/.kube/pki/me.key");
  const ClusterAccess two = Resolve("two");
  EXPECT_EQ(two.authorities_file, "/home/me/.kube/pki/ca.crt");
  EXPECT_EQ(two.user.token, "secret");
  EXPECT_EQ(two.user.token_file, "/home/me/.kube/tok");
  const ClusterAccess three = Resolve("three");
  EXPECT_TRUE(three.insecure);
  ASSERT_TRUE(three.user.exec.has_value());
  EXPECT_EQ(three.user.exec->command, "/home/me/.kube/./bin/plug");
  EXPECT_THAT(three.user.exec->arguments, ElementsAre("a", "b"));
  EXPECT_THAT(three.user.exec->environment, ElementsAre(Pair("X", "1")));
  EXPECT_TRUE(three.user.exec->provide_cluster_info);
  EXPECT_EQ(Resolve("four").server, "https://open");
  EXPECT_EQ(Resolve("five").user.token, "");
}

TEST(KubeconfigTest, WhatAContextLacksIsNamed) {
  const auto config = ReadKubeconfig(kFile, "f");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(ResolveContext(*config, "none").error().message(), "the kubeconfig has no context \"none\"");
  EXPECT_EQ(ResolveContext(*config, "lost").error().message(),
            "context \"lost\" names the cluster \"gone\", which the kubeconfig does not have");
  EXPECT_EQ(ResolveContext(*config, "friendless").error().message(),
            "context \"friendless\" names the user \"gone\", which the kubeconfig does not have");
  EXPECT_EQ(ResolveContext({}, "").error().message(), "the kubeconfig has no current-context");
}

TEST(KubeconfigTest, WhatIsWrongIsNamedWithItsPlace) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"clusters: 3", "clusters: must be a list"},
      {"clusters: [{cluster: {server: 'https://a'}}]", "clusters[0].name: is required"},
      {"clusters: [{name: a, cluster: {server: 3}}]", "clusters[0].cluster.server: must be a string, not a number"},
      {"clusters: [{name: a, cluster: {server: 'ftp://a'}}]", "clusters[0].cluster.server: must be a URL"},
      {"clusters: [{name: a, cluster: {server: 'https://u:p@a'}}]", "clusters[0].cluster.server: must be a URL"},
      {"clusters: [{name: a, cluster: {server: 'https://a', proxy-url: 'http://p'}}]",
       "clusters[0].cluster.proxy-url: is not supported"},
      {"clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: '?'}}]",
       "must be PEM in base64"},
      {"clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: eA==}}]",
       "must be PEM in base64"},
      {"clusters: [{name: a, cluster: {server: 'https://a', certificate-authority: x, insecure-skip-tls-verify: "
       "true}}]",
       "may not be with"},
      {"clusters: [{name: a, cluster: {server: 'https://a', tls-server-name: 'a/b'}}]",
       "tls-server-name: must be a name"},
      {"users: [{name: a, user: {auth-provider: {name: gcp}}}]", "users[0].user.auth-provider: is not supported"},
      {"users: [{name: a, user: {as: root}}]", "users[0].user.as: is not supported"},
      {"users: [{name: a, user: {token: 'a b'}}]", "users[0].user.token: may have no white space"},
      {"users: [{name: a, user: {client-key: x}}]", "users[0].user.client-certificate: and client-key stand together"},
      {"users: [{name: a, user: {exec: {apiVersion: v1, command: x}}}]",
       "users[0].user.exec.apiVersion: must be client.authentication.k8s.io/v1"},
      {"users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1}}}]",
       "users[0].user.exec.command: is required"},
      {"users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: "
       "Always}}}]",
       "no terminal"},
      {"users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: x, env: [{name: "
       "'a=b'}]}}}]",
       "must be a variable's name"},
      {"contexts: [{name: a, context: x}]", "contexts[0].context: must be a map"},
      {"kind: Pod", "kind: must be Config"},
      {"a: 1\n---\na: 1", "f: has more than one document"},
      {"a: [", "f:"},
      {"[]", "must be a map"},
  };
  for (const auto& one : cases) {
    const auto config = ReadKubeconfig(one.text, "f");
    ASSERT_FALSE(config.has_value()) << one.text;
    EXPECT_EQ(config.error().code(), StatusCode::kInvalidArgument) << one.text;
    EXPECT_THAT(config.error().message(), HasSubstr(one.message)) << one.text;
  }
}

TEST(KubeconfigTest, OfSeveralFilesTheFirstCounts) {
  support::TempDir dir;
  dir.Write("a", "current-context: x\nclusters: [{name: c, cluster: {server: 'https://a'}}]\n");
  dir.Write(
      "b",
      "current-context: other\nclusters: [{name: c, cluster: {server: 'https://b'}}]\ncontexts: [{name: x, context: "
      "{cluster: c}}]\n");
  const auto path = [&](const char* name) { return (dir.path() / name).string(); };
  const std::string both = path("none") + ":" + path("a") + "::" + path("b");
  const auto access = FindClusterAccess({}, FakeEnvironment({{"KUBECONFIG", both}}));
  ASSERT_TRUE(access.has_value()) << access.error().message();
  EXPECT_EQ(access->server, "https://a");
  EXPECT_EQ(FindClusterAccess({.kubeconfig = path("none")}, FakeEnvironment({})).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(FindClusterAccess({.kubeconfig = dir.path().string()}, FakeEnvironment({})).error().code(),
            StatusCode::kInvalidArgument);
}

TEST(KubeconfigTest, APodHasItsServiceAccount) {
  support::TempDir dir;
  dir.Write("namespace", "models\n");
  const AccessOptions options = {.pod_files = dir.path().string()};
  const auto access = FindClusterAccess(
      options,
      FakeEnvironment({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}, {"HOME", "/none"}}));
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->namespace_name, "models");
  EXPECT_EQ(access->user.token_file, dir.path().string() + "/token");
  EXPECT_EQ(access->authorities_file, dir.path().string() + "/ca.crt");
}

TEST(KubeconfigTest, WithoutAnyThereIsNone) {
  EXPECT_EQ(FindClusterAccess({}, FakeEnvironment({})).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(FindClusterAccess({}, FakeEnvironment({{"HOME", "/none"}})).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(FindPodAccess("/none", FakeEnvironment({})).error().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::kubernetes
