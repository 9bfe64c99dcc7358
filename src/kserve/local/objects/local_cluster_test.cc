#include "kserve/local/objects/local_cluster.h"

#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::local {
namespace {

class LocalClusterTest : public ::testing::Test {
 protected:
  LocalClusterTest() {
    EXPECT_TRUE(cluster_.Open("", [] {}).ok());
  }

  // Returns the configuration with this data of the ConfigMap.
  const model::InferenceServiceConfig& With(const std::string& data) {
    const auto& type = *apiserver::FindKind("v1", "ConfigMap");
    const auto config =
        manifest::ReadYaml("metadata: {name: inferenceservice-config}\ndata:\n" + data, "f").value().front();
    bool gone = false;
    static_cast<void>(cluster_.registry().Delete(type, "kserve", "inferenceservice-config", {}, gone));
    EXPECT_TRUE(cluster_.registry().Create(type, "kserve", config, {}).has_value());
    cluster_.Refresh();
    return cluster_.config();
  }

  LocalCluster cluster_{"here"};
};

TEST_F(LocalClusterTest, AConfigMapChangesWhatItSaysAlone) {
  cluster_.Refresh();
  const model::InferenceServiceConfig before = cluster_.config();
  EXPECT_EQ(before.ingress.domain, "here");
  const auto& credentials = With("  credentials: '{\"s3\": {\"s3SecretAccessKeyName\": \"k\"}}'\n");
  EXPECT_EQ(credentials.credentials.s3.secret_access_key_name, "k");
  EXPECT_EQ(credentials.ingress.domain, "here");
  EXPECT_EQ(credentials.ingress.path_template, before.ingress.path_template);
  const auto& templated =
      With("  ingress: '{\"domainTemplate\": \"{{ .Name }}.{{ .IngressDomain }}\", \"ingressDomain\": \"\"}'\n");
  EXPECT_EQ(templated.ingress.domain_template, "{{ .Name }}.{{ .IngressDomain }}");
  EXPECT_EQ(templated.ingress.domain, "here");
  EXPECT_EQ(templated.ingress.path_template, before.ingress.path_template);
  EXPECT_EQ(With("  ingress: '{\"ingressDomain\": \"there\"}'\n").ingress.domain, "there");
  EXPECT_TRUE(With("  ingress: '{\"disableIstioVirtualHost\": false}'\n").ingress.disable_virtual_service);
}

TEST_F(LocalClusterTest, ExplainersHaveTheNamesOfTheirImages) {
  cluster_.Refresh();
  EXPECT_EQ(cluster_.config().explainers.at("art").image, "kserve/art-explainer");
  const auto& config =
      With("  explainers: '{\"alibi\": {\"image\": \"mine\", \"defaultImageVersion\": \"v1\"}, \"art\": {}}'\n");
  EXPECT_EQ(config.explainers.at("alibi").image, "mine");
  EXPECT_EQ(config.explainers.at("art").image, "kserve/art-explainer");
  EXPECT_EQ(config.explainers.at("aix").default_version, "latest");
}

}  // namespace
}  // namespace inferd::local
