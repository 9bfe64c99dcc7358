#include "kserve/node/probe/readiness_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::node {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using Way = ReadinessProbe::Way;

// Reads a probe of a container with the ports 8080, called http, and 9000.
ReadinessProbe Read(const std::string& probe) {
  const auto container =
      manifest::ReadYaml(
          "{ports: [{containerPort: 8080, name: http}, {containerPort: 9000}], readinessProbe: " + probe + "}", "test")
          .value()
          .front();
  return ReadReadinessProbe(container, [](int64_t port) {
    if (port == 8080) return uint16_t{40080};
    return port == 9000 ? uint16_t{40090} : uint16_t{0};
  });
}

TEST(ReadinessProbeTest, AConnectionUnlessTheProbeSaysMore) {
  for (const std::string probe : {"null", "text", "{}", "{periodSeconds: 2}", "{exec: {}}", "{httpGet: text}"}) {
    const ReadinessProbe read = Read(probe);
    EXPECT_EQ(read.way, Way::kConnection) << probe;
    EXPECT_EQ(read.port, 0) << probe;
  }
  const ReadinessProbe secure = Read("{httpGet: {path: /, port: 9000, scheme: HTTPS}}");
  EXPECT_EQ(secure.way, Way::kConnection);
  EXPECT_EQ(secure.port, 40090);
  EXPECT_EQ(Read("{tcpSocket: {port: http}}").port, 40080);
  EXPECT_EQ(Read("{tcpSocket: {port: 1}}").port, 0);
  EXPECT_EQ(Read("{tcpSocket: {port: other}}").port, 0);
}

TEST(ReadinessProbeTest, Timings) {
  const ReadinessProbe read = Read("{initialDelaySeconds: 3, timeoutSeconds: 7, periodSeconds: 2}");
  EXPECT_EQ(read.initial_delay, milliseconds(3'000));
  EXPECT_EQ(read.timeout, milliseconds(7'000));
  EXPECT_EQ(Read("{initialDelaySeconds: -3, timeoutSeconds: 1}").timeout, milliseconds(2'000));
  EXPECT_EQ(Read("{initialDelaySeconds: -3, timeoutSeconds: 900}").timeout, milliseconds(30'000));
  EXPECT_EQ(Read("{initialDelaySeconds: -3}").initial_delay, milliseconds(0));
}

TEST(ReadinessProbeTest, Handlers) {
  const ReadinessProbe get = Read("{httpGet: {path: /ready, port: 9000}}");
  EXPECT_EQ(get.way, Way::kHttp);
  EXPECT_EQ(get.path, "/ready");
  EXPECT_EQ(get.port, 40090);
  EXPECT_EQ(Read("{httpGet: {port: http}}").path, "/");
  const ReadinessProbe grpc = Read("{grpc: {port: 9000, service: m}}");
  EXPECT_EQ(grpc.way, Way::kGrpc);
  EXPECT_EQ(grpc.service, "m");
  EXPECT_EQ(grpc.port, 40090);
}

TEST(ReadinessProbeTest, ACommandHasThePortsOfThisMachine) {
  const ReadinessProbe read = Read(
      "{exec: {command: [curl, 'http://localhost:8080/v2', --port=9000, '8080', x8080, 8080.5, 'nc -z h 9000;', "
      "'1']}}");
  EXPECT_EQ(read.way, Way::kCommand);
  EXPECT_THAT(read.command, ElementsAre("curl", "http://localhost:40080/v2", "--port=40090", "40080", "x8080", "8080.5",
                                        "nc -z h 40090;", "1"));
}

}  // namespace
}  // namespace inferd::node
