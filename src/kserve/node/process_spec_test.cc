#include "kserve/node/process_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "data/manifest/read.h"

namespace inferd::node {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

model::ResolvedPod Pod(std::string_view yaml) {
  model::ResolvedPod pod;
  pod.pod_spec = manifest::ReadYaml(yaml, "pod.yaml").value().front();
  return pod;
}

// Makes a process with local ports from 40000 on.
base::Result<ProcessSpec> Make(std::string_view yaml) {
  uint16_t next = 40000;
  return MakeProcess(Pod(yaml), {.moves = {{"/mnt/models", "/here"}},
                                 .take_port = [&]() -> base::Result<uint16_t> { return next++; }});
}

TEST(ProcessSpecTest, CommandAndArguments) {
  const auto spec = Make(R"yaml(
containers:
- name: kserve-container
  command: [server, run]
  args: ["--name=$(NAME)", "$$(NAME)", "$(OTHER)", "$5", --dir=/mnt/models, /mnt/models/a, /mnt/modelsx, "a:/mnt/models:b"]
  env:
  - {name: NAME, value: iris}
  - {name: FULL, value: "$(NAME) in /x"}
  - {name: WHERE, value: /mnt/models/b}
terminationGracePeriodSeconds: 5
)yaml");
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(spec->program, "server");
  EXPECT_THAT(spec->arguments, ElementsAre("run", "--name=iris", "$(NAME)", "$(OTHER)", "$5", "--dir=/here", "/here/a",
                                           "/mnt/modelsx", "a:/here:b"));
  EXPECT_THAT(spec->environment, AllOf(Contains("NAME=iris"), Contains("FULL=iris in /x"), Contains("WHERE=/here/b"),
                                       Contains("PORT=40000")));
  EXPECT_EQ(spec->port, 40000);
  EXPECT_EQ(spec->probe.way, ReadinessProbe::Way::kConnection);
  EXPECT_EQ(spec->grace, std::chrono::seconds(5));
}

TEST(ProcessSpecTest, PortIsTheLocalPortInVariablesAndArguments) {
  const auto spec = Make(R"yaml(
containers:
- command: [serve, "$(PORT)", "--bind=:$(PORT)", "--port=$(PORT)", --grpc-port, "9000"]
  ports: [{containerPort: 5000}]
  env: [{name: PORT, value: "5000"}]
)yaml");
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(spec->port, 40000);
  EXPECT_EQ(spec->grpc_port, 40001);
  EXPECT_THAT(spec->arguments, ElementsAre("40000", "--bind=:40000", "--port=40000", "--grpc-port", "40001"));
  EXPECT_THAT(spec->environment, AllOf(Contains("PORT=40000"), Not(Contains("PORT=5000"))));
}

TEST(ProcessSpecTest, PathsAreMovedOnce) {
  const auto spec = MakeProcess(
      Pod("containers: [{command: [a, --cache=/tmp/x, /tmp, /tmpx, '/data:/tmp', /data/deep/y], env: [{name: D, value: "
          "/data/deep}]}]"),
      {.moves = {{"/data/deep", "/e"}, {"/data", "/tmp/d"}, {"/tmp", "/v"}}, .take_port = [] { return uint16_t{1}; }});
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_THAT(spec->arguments, ElementsAre("--cache=/v/x", "/v", "/tmpx", "/tmp/d:/v", "/e/y"));
  EXPECT_THAT(spec->environment, Contains("D=/e"));
}

TEST(ProcessSpecTest, PortsAreOfThisMachine) {
  const auto spec = Make(R"yaml(
containers:
- command: [server, --http_port=8080, --grpc-port, "9000", --port=8080, --port, --report=8080, --exporter_port=x, "8080"]
  ports: [{containerPort: 9000}, {containerPort: 8080}]
  readinessProbe: {httpGet: {path: /ready, port: 8080}}
)yaml");
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(spec->port, 40000);  // of the first container port
  EXPECT_THAT(spec->arguments, ElementsAre("--http_port=40001", "--grpc-port", "40000", "--port=40001", "--port",
                                           "--report=8080", "--exporter_port=x", "8080"));
  EXPECT_EQ(spec->probe.path, "/ready");
  EXPECT_EQ(spec->probe.port, 40001);
  EXPECT_EQ(spec->grpc_port, 40000);
}

TEST(ProcessSpecTest, WhereCallsOfGrpcGo) {
  struct Case {
    std::string_view container;
    uint16_t http, grpc;
  };
  const Case cases[] = {
      {"{command: [a, --http_port=8080]}", 40000, 40000},
      {"{command: [a, --http_port=8080, --grpc_port=8081]}", 40000, 40001},
      {"{command: [a, --port=9000, --rest_api_port=8080]}", 40000, 40001},
      {"{command: [a, --port=9000]}", 40000, 40000},
      {"{command: [a, --port=9000], ports: [{containerPort: 9000, name: h2c}]}", 40000, 40000},
      {"{command: [a], ports: [{containerPort: 8080, name: http}, {containerPort: 9000, name: grpc}]}", 40000, 40001},
  };
  for (const Case& each : cases) {
    const auto spec = Make("containers: [" + std::string(each.container) + "]");
    ASSERT_TRUE(spec.has_value()) << spec.error().message();
    EXPECT_EQ(spec->port, each.http) << each.container;
    EXPECT_EQ(spec->grpc_port, each.grpc) << each.container;
  }
}

TEST(ProcessSpecTest, WhatCannotRunHereIsNamed) {
  for (const auto& [yaml, error] : {
           std::pair("containers: []", "spec.containers"),
           std::pair("containers: [{image: a}]", "spec.predictor.containers[0].command"),
           std::pair("containers: [{command: [a], env: [{name: V, valueFrom: {fieldRef: {fieldPath: x}}}]}]",
                     "spec.predictor.containers[0].env[V].valueFrom"),
       }) {
    const auto spec = Make(yaml);
    ASSERT_FALSE(spec.has_value()) << yaml;
    EXPECT_THAT(spec.error().message(), HasSubstr(error));
  }
}

TEST(ProcessSpecTest, AnImageAloneIsNamedWithWhatThereIsInstead) {
  model::ResolvedPod pod;
  pod.kind = model::ComponentKind::kExplainer;
  pod.pod_spec =
      manifest::ReadYaml("containers: [{image: 'kserve/art-explainer:v0.10.0'}]", "pod.yaml").value().front();
  const auto spec = MakeProcess(pod, {.take_port = [] { return base::Result<uint16_t>(1); }});
  ASSERT_FALSE(spec.has_value());
  EXPECT_EQ(spec.error().message(),
            "spec.explainer.containers[0].command: there is none, only the image 'kserve/art-explainer:v0.10.0': "
            "images are not run "
            "on this machine, only programs that are installed here, named by command; or a class with explain() in a "
            "model.py, for inferd, named by the variable STORAGE_URI");
}

TEST(ProcessSpecTest, InferdListensOnSocketsAlone) {
  auto spec = Make(R"yaml(
containers:
- command: [/opt/inferd]
  args: [--http_port=8080, --grpc_port=8081]
  env: [{name: INFERD_HTTP_UNIX_SOCKET, value: /elsewhere}]
  readinessProbe: {grpc: {port: 8081}}
)yaml");
  ASSERT_TRUE(spec.has_value()) << spec.error().message();
  EXPECT_EQ(spec->http_address(), "127.0.0.1:40000");
  EXPECT_EQ(spec->probe_address(), "127.0.0.1:40001");
  ASSERT_TRUE(CanListenOnSockets(*spec));
  ListenOnSockets("/s/7", *spec);
  EXPECT_EQ(spec->http_address(), "unix:/s/7.http");
  EXPECT_EQ(spec->grpc_address(), "unix:/s/7.grpc");
  EXPECT_EQ(spec->probe_address(), "unix:/s/7.grpc");
  EXPECT_THAT(spec->environment, AllOf(Contains("INFERD_TCP=false"), Contains("INFERD_HTTP_UNIX_SOCKET=/s/7.http"),
                                       Contains("INFERD_GRPC_UNIX_SOCKET=/s/7.grpc"),
                                       Contains("INFERD_UNIX_SOCKET_CLIENT_PID=" + std::to_string(getpid())),
                                       Not(Contains(HasSubstr("elsewhere")))));
  spec->probe = {.way = ReadinessProbe::Way::kHttp, .port = 0, .path = "/"};
  EXPECT_EQ(spec->probe_address(), "unix:/s/7.http");
}

TEST(ProcessSpecTest, OthersListenOnPorts) {
  for (const char* const container :
       {"command: [/opt/server]", "command: [/opt/inferd], readinessProbe: {exec: {command: [ask, 8080]}}",
        "command: [/opt/inferd], args: [--http-unix-socket=/s]", "command: [/opt/inferd, --grpc_socket_path, /s]"}) {
    const auto spec = Make("containers: [{" + std::string(container) + "}]");
    ASSERT_TRUE(spec.has_value()) << container << ": " << spec.error().message();
    EXPECT_FALSE(CanListenOnSockets(*spec)) << container;
  }
}

}  // namespace
}  // namespace inferd::node
