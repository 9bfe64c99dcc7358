#include "kserve/node/container_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::optional<manifest::StringMap> FindVariableData(const DataSource& source) {
  if (source.namespace_name != "models") return std::nullopt;
  if (source.secret && source.name == "key") return manifest::StringMap{{"user", "u"}, {"nul", std::string("a\0b", 3)}};
  if (!source.secret && source.name == "settings") return manifest::StringMap{{"A", "1"}, {"B", "2"}};
  return std::nullopt;
}

base::Result<manifest::StringMap> VariablesOfYaml(const std::string& container) {
  model::ResolvedPod pod;
  pod.namespace_name = "models";
  pod.labels = {{"app", "iris"}, {"a/b", "c"}};
  pod.annotations = {{"note", "n"}};
  const manifest::Value document = manifest::ReadYaml(container, "container").value().front();
  return ContainerVariables(document, {.pod = pod, .pod_name = "iris-0", .find = FindVariableData});
}

TEST(ContainerVariables, ComeFromElsewhere) {
  struct Case {
    const char* from;
    const char* value;
  };
  for (const Case& each : {
           Case{"secretKeyRef: {name: key, key: user}", "u"},
           Case{"configMapKeyRef: {name: settings, key: B}", "2"},
           Case{"fieldRef: {fieldPath: metadata.name}", "iris-0"},
           Case{"fieldRef: {fieldPath: metadata.namespace}", "models"},
           Case{"fieldRef: {fieldPath: \"metadata.labels['app']\"}", "iris"},
           Case{"fieldRef: {fieldPath: \"metadata.labels['a/b']\"}", "c"},
           Case{"fieldRef: {fieldPath: \"metadata.labels['none']\"}", ""},
           Case{"fieldRef: {fieldPath: \"metadata.annotations['note']\"}", "n"},
           Case{"fieldRef: {fieldPath: status.podIP}", "127.0.0.1"},
           Case{"fieldRef: {fieldPath: spec.serviceAccountName}", "default"},
           Case{"resourceFieldRef: {resource: limits.cpu}", "2"},
           Case{"resourceFieldRef: {resource: limits.cpu, divisor: 1m}", "1500"},
           Case{"resourceFieldRef: {resource: limits.memory, divisor: 1Mi}", "2048"},
           Case{"resourceFieldRef: {resource: requests.memory}", "0"},
       }) {
    const auto variables =
        VariablesOfYaml(std::string("{resources: {limits: {cpu: 1500m, memory: 2Gi}}, env: [{name: V, valueFrom: {") +
                        each.from + "}}]}");
    ASSERT_TRUE(variables.has_value()) << each.from << ": " << variables.error().message();
    EXPECT_THAT(*variables, ElementsAre(Pair("V", each.value))) << each.from;
  }
}

TEST(ContainerVariables, APodsLoopbackIsNotThatOfAllUsers) {
  const auto variables =
      VariablesOfYaml("{env: [{name: INFERD_CONTROL_FROM, value: machine}, {name: V, value: machine}]}");
  EXPECT_THAT(*variables, ElementsAre(Pair("INFERD_CONTROL_FROM", "here"), Pair("V", "machine")));
  EXPECT_THAT(*VariablesOfYaml("{env: [{name: INFERD_CONTROL_FROM, value: socket}]}"),
              ElementsAre(Pair("INFERD_CONTROL_FROM", "here")));
  EXPECT_THAT(*VariablesOfYaml("{env: [{name: INFERD_CONTROL_FROM, value: anyone}]}"),
              ElementsAre(Pair("INFERD_CONTROL_FROM", "anyone")));
}

TEST(ContainerVariables, SeeThoseBeforeThem) {
  const auto variables = VariablesOfYaml(
      "{envFrom: [{configMapRef: {name: settings}, prefix: P_}, {secretRef: {name: none, optional: true}}],"
      " env: [{name: U, valueFrom: {secretKeyRef: {name: key, key: user}}}, {name: ALL, value: "
      "'$(P_A)$(U)$(LATER)$$(U)'},"
      " {name: LATER, value: x}, {name: P_B, value: own}, {name: EMPTY}]}");
  ASSERT_TRUE(variables.has_value()) << variables.error().message();
  EXPECT_THAT(*variables, ElementsAre(Pair("ALL", "1u$(LATER)$(U)"), Pair("EMPTY", ""), Pair("LATER", "x"),
                                      Pair("P_A", "1"), Pair("P_B", "own"), Pair("U", "u")));
}

TEST(ContainerVariables, WhatIsNotThereIsSaidAsByTheKubelet) {
  for (const auto& [from, error] : {
           std::pair("secretKeyRef: {name: none, key: a}", "secret \"none\" not found"),
           std::pair("secretKeyRef: {name: key, key: a}", "couldn't find key a in Secret models/key"),
           std::pair("configMapKeyRef: {name: settings, key: a}", "couldn't find key a in ConfigMap models/settings"),
           std::pair("secretKeyRef: {name: key, key: nul}", "cannot have a NUL"),
           std::pair("fieldRef: {fieldPath: metadata.uid}", "spec.predictor.containers[0].env[V].valueFrom"),
           std::pair("resourceFieldRef: {resource: limits.disk}", "spec.predictor.containers[0].env[V].valueFrom"),
           std::pair("resourceFieldRef: {resource: limits.cpu, divisor: -1}",
                     "spec.predictor.containers[0].env[V].valueFrom"),
           std::pair("", "spec.predictor.containers[0].env[V].valueFrom"),
       }) {
    const auto variables = VariablesOfYaml(std::string("env: [{name: V, valueFrom: {") + from + "}}]");
    ASSERT_FALSE(variables.has_value()) << from;
    EXPECT_THAT(variables.error().message(), HasSubstr(error));
  }
  for (const char* const optional : {"secretKeyRef: {name: none, key: a, optional: true}",
                                     "configMapKeyRef: {name: settings, key: a, optional: true}"}) {
    EXPECT_TRUE(VariablesOfYaml(std::string("env: [{name: V, valueFrom: {") + optional + "}}]").value().empty());
  }
}

}  // namespace
}  // namespace inferd::node
