#include "kserve/cluster/admission/webhook_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::cluster {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Value ConfigurationOf(std::string_view yaml) { return std::move(manifest::ReadYaml(yaml, "test")->front()); }

TEST(WebhookConfigurationTest, NamesAreThoseOfServicesAndUrls) {
  EXPECT_THAT(CalledNames(ConfigurationOf(
                  "webhooks:\n"
                  "- clientConfig: {service: {name: webhooks, namespace: kserve, path: /x, port: 9443}}\n"
                  "- clientConfig: {service: {name: webhooks, namespace: kserve}}\n"
                  "- clientConfig: {url: 'https://127.0.0.1:9443/mutate?x'}\n"
                  "- clientConfig: {url: 'https://[::1]:9443/mutate'}\n"
                  "- clientConfig: {url: 'https://a.example'}\n")),
              ElementsAre("127.0.0.1", "::1", "a.example", "webhooks.kserve.svc"));
}

TEST(WebhookConfigurationTest, PathsAreThoseOfServicesAndUrls) {
  EXPECT_THAT(CalledPaths(ConfigurationOf(
                  "webhooks:\n"
                  "- clientConfig: {service: {name: webhooks, namespace: kserve, path: /x, port: 9443}}\n"
                  "- clientConfig: {service: {name: webhooks, namespace: kserve}}\n"
                  "- clientConfig: {url: 'https://127.0.0.1:9443/mutate/a?x'}\n"
                  "- clientConfig: {url: 'https://a.example'}\n"
                  "- clientConfig: {url: 'x'}\n")),
              ElementsAre("/mutate/a", "/x"));
}

TEST(WebhookConfigurationTest, WhatIsNoNameIsLeftOut) {
  for (const std::string_view yaml :
       {"{}", "webhooks: x", "webhooks: [1, {}, {clientConfig: []}, {clientConfig: {}}]",
        "webhooks: [{clientConfig: {url: 'http://a.example/x'}}, {clientConfig: {url: 'https://'}}]",
        "webhooks: [{clientConfig: {url: 'https://['}}]",
        "webhooks: [{clientConfig: {service: {name: a}}}, {clientConfig: {service: {namespace: a}}}]"}) {
    EXPECT_THAT(CalledNames(ConfigurationOf(yaml)), IsEmpty()) << yaml;
    CalledPaths(ConfigurationOf(yaml));
    Value value = ConfigurationOf(yaml);
    SetAuthorities(value, "x");
  }
}

TEST(WebhookConfigurationTest, AuthoritiesAreSetWhereTheyAreOthers) {
  Value live = ConfigurationOf(
      "{metadata: {name: w}, webhooks: [{name: a, clientConfig: {url: 'https://a', caBundle: Cg==}}, "
      "{name: b, clientConfig: {url: 'https://b'}}]}");
  EXPECT_TRUE(SetAuthorities(live, "pem"));
  EXPECT_EQ(live, ConfigurationOf(
                      "{metadata: {name: w}, webhooks: [{name: a, clientConfig: {url: 'https://a', caBundle: cGVt}}, "
                      "{name: b, clientConfig: {url: 'https://b', caBundle: cGVt}}]}"));
  EXPECT_FALSE(SetAuthorities(live, "pem"));
}

}  // namespace
}  // namespace inferd::cluster
