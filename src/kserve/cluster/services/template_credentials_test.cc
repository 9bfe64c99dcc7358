#include "kserve/cluster/services/template_credentials.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

bool Has(const std::string& pod_spec, std::string_view kind, std::string_view name) {
  const manifest::Value object = Yaml("{spec: {template: {spec: " + pod_spec + "}}}");
  return HasCredentialsOf(std::array{&object}, kind, name);
}

constexpr const char* kVariable =
    "{serviceAccountName: robot, initContainers: [{name: storage-initializer, env: [{name: KEY, valueFrom: "
    "{secretKeyRef: {name: minio, key: k}}}]}]}";
constexpr const char* kVolume =
    "{containers: [{name: kserve-container}, {name: agent, volumeMounts: [{name: gcp, mountPath: /v}]}], volumes: "
    "[{name: gcp, secret: {secretName: file}}, {name: other, secret: {secretName: others}}]}";

TEST(TemplateCredentialsTest, AVariableOrAVolumeOfWhatBringsModelsIsOne) {
  EXPECT_TRUE(Has(kVariable, "Secret", "minio"));
  EXPECT_FALSE(Has(kVariable, "Secret", "another"));
  EXPECT_TRUE(Has(kVolume, "Secret", "file"));
  EXPECT_FALSE(Has(kVolume, "Secret", "others")) << "the service's own volume";
  EXPECT_FALSE(Has("{containers: [{name: kserve-container, env: [{name: A, valueFrom: {secretKeyRef: {name: s}}}]}]}",
                   "Secret", "s"))
      << "the service's own variable";
}

TEST(TemplateCredentialsTest, AnAccountIsNeededWhereItsSecretsAre) {
  EXPECT_TRUE(Has(kVariable, "ServiceAccount", "robot"));
  EXPECT_FALSE(Has(kVariable, "ServiceAccount", "default"));
  EXPECT_TRUE(Has(kVolume, "ServiceAccount", "default"));
  EXPECT_FALSE(Has("{initContainers: [{name: storage-initializer}]}", "ServiceAccount", "default"));
}

TEST(TemplateCredentialsTest, AnyDocumentIsLookedAt) {
  for (const char* spec : {"{}", "[]", "x", "{initContainers: x, containers: [1, {name: agent, env: 3}]}"}) {
    EXPECT_FALSE(Has(spec, "Secret", "s")) << spec;
  }
}

}  // namespace
}  // namespace inferd::cluster
