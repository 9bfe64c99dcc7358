#include "kserve/agent/ready/readiness_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::agent {
namespace {

using ::testing::HasSubstr;

const net::upstream::Address& Component() {
  static const net::upstream::Address address = *net::upstream::Address::Parse("127.0.0.1:8080");
  return address;
}

std::string ShownProbe(std::string_view json) {
  const auto probe = ParseReadinessProbe(json, Component());
  if (!probe.has_value()) return "error: " + std::string(probe.error().message());
  return probe->address.text() + " " + probe->path.value_or("(connect)") + " " + std::to_string(probe->timeout.count());
}

TEST(ReadinessProbeTest, ProbesAsKubernetesHasThem) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "127.0.0.1:8080 (connect) 1000"},
      {"{}", "127.0.0.1:8080 (connect) 1000"},
      {R"({"tcpSocket":{"port":8081},"successThreshold":1,"timeoutSeconds":0})", "127.0.0.1:8081 (connect) 1000"},
      {R"({"tcpSocket":{"port":0,"host":"localhost"}})", "127.0.0.1:8080 (connect) 1000"},
      {R"({"tcpSocket":{"port":"http","host":"10.0.0.1"},"timeoutSeconds":5})", "10.0.0.1:8080 (connect) 5000"},
      {R"({"httpGet":{"path":"/v2/health/ready","port":9000,"scheme":"HTTP"}})",
       "127.0.0.1:9000 /v2/health/ready 1000"},
      {R"({"httpGet":{"host":"::1","httpHeaders":[{"name":"a","value":"b"}]}})", "[::1]:8080 / 1000"},
  };
  for (const auto& [json, shown] : cases) EXPECT_EQ(ShownProbe(json), shown) << json;
}

TEST(ReadinessProbeTest, OthersAreRefused) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[]", "JSON at byte 0"},
      {"{", "JSON at byte 1"},
      {R"({"exec":{"command":["true"]}})", "a probe by exec is not known"},
      {R"({"tcpSocket":{"port":70000}})", "expected a port"},
      {R"({"tcpSocket":{"host":"example.com"}})", "is no address"},
      {R"({"httpGet":{"scheme":"HTTPS"}})", "only the scheme HTTP is known"},
      {R"({"httpGet":{"path":"x"}})", "expected a path"},
      {R"({"httpGet":{"path":"/\r\nX: 1"}})", "expected a path"},
      {R"({"httpGet":{},"tcpSocket":{}})", "not both"},
      {R"({"timeoutSeconds":-1})", "expected 0 to 3600 seconds"},
  };
  for (const auto& [json, text] : cases) EXPECT_THAT(ShownProbe(json), HasSubstr(text)) << json;
}

TEST(ReadinessProbeTest, AComponentMayListenAtAUnixSocket) {
  const auto component = *net::upstream::Address::Parse("unix:/run/model.sock");
  const struct {
    const char* json;
    const char* address;
    const char* host;
  } cases[] = {{"", "unix:/run/model.sock", "localhost"},
               {R"({"httpGet": {"path": "/v2/health/ready"}})", "unix:/run/model.sock", "localhost"},
               {R"({"tcpSocket": {"port": 0}})", "unix:/run/model.sock", "localhost"},
               {R"({"httpGet": {"path": "/", "port": 8080}})", "127.0.0.1:8080", "127.0.0.1:8080"}};
  for (const auto& one : cases) {
    const auto probe = ParseReadinessProbe(one.json, component);
    ASSERT_TRUE(probe.has_value()) << one.json;
    EXPECT_EQ(probe->address.text(), one.address) << one.json;
    EXPECT_EQ(probe->host, one.host) << one.json;
  }
  EXPECT_FALSE(ParseReadinessProbe(R"({"tcpSocket": {"host": "10.0.0.1"}})", component).has_value());
}

}  // namespace
}  // namespace inferd::agent
