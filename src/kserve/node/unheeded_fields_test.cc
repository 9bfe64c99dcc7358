#include "kserve/node/unheeded_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> UnheededOf(std::string_view spec) {
  model::ResolvedPod pod;
  pod.pod_spec = manifest::ReadYaml(spec, "pod.yaml").value().front();
  return UnheededFields(pod);
}

TEST(UnheededFields, WhatActsHereIsNone) {
  EXPECT_THAT(UnheededOf("{}"), IsEmpty());
  EXPECT_THAT(UnheededOf("{containers: [{name: a, image: b, command: [c], args: [], env: [], envFrom: [], ports: [],"
                         " volumeMounts: [], readinessProbe: {}, resources: {requests: {cpu: 1}, limits: {}}}],"
                         " volumes: [], serviceAccountName: c, terminationGracePeriodSeconds: 3, initContainers: [], "
                         "securityContext: {}}"),
              IsEmpty());
  EXPECT_THAT(
      UnheededOf("{containers: [{name: a, securityContext: {runAsNonRoot: true, capabilities: {drop: [ALL]}}}]}"),
      IsEmpty());
  EXPECT_THAT(UnheededOf("{containers: [{name: a, securityContext: {runAsNonRoot: true, runAsUser: 7}}]}"),
              ElementsAre("spec.containers[0].securityContext"));
}

TEST(UnheededFields, AreNamed) {
  EXPECT_THAT(UnheededOf("{initContainers: [{name: a}], nodeSelector: {a: b}, hostPID: true, containers:"
                         " [{name: a, workingDir: /x, livenessProbe: {tcpSocket: {port: 1}},"
                         " resources: {limits: {cpu: 1}}}, {name: b}]}"),
              ElementsAre("spec.initContainers", "spec.nodeSelector", "spec.hostPID", "spec.containers[0].workingDir",
                          "spec.containers[0].livenessProbe", "spec.containers[1]"));
}

}  // namespace
}  // namespace inferd::node
