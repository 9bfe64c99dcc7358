#include "kserve/clustergateway/cluster/endpoint_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::clustergateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

kubernetes::ObjectPointer Slice(const std::string& yaml) {
  auto documents = manifest::ReadYaml(yaml, "f");
  EXPECT_TRUE(documents.has_value()) << yaml;
  return std::make_shared<const manifest::Value>(documents->front());
}

std::vector<std::string> Texts(const std::vector<kubernetes::ObjectPointer>& slices, const std::string& address = "") {
  std::vector<std::string> texts;
  for (const gateway::ReplicaPlace& place : ReadyPlaces(slices, address)) {
    texts.push_back(place.address.text() + " " + place.grpc_address.text());
  }
  return texts;
}

TEST(EndpointPlacesTest, ThoseThatAreReadyAndStay) {
  const auto slice = Slice(R"(
endpoints:
- {addresses: [10.0.0.1]}
- {addresses: [10.0.0.2], conditions: {ready: true, serving: true, terminating: false}}
- {addresses: [10.0.0.3], conditions: {ready: false}}
- {addresses: [10.0.0.4], conditions: {ready: true, terminating: true}}
- {addresses: []}
- {addresses: [no-address]}
- {}
ports:
- {name: grpc, port: 9000}
- {name: http, port: 8080}
)");
  const auto again = Slice("{endpoints: [{addresses: [10.0.0.1]}], ports: [{name: http, port: 8080}]}");
  EXPECT_THAT(Texts({slice, again}), ElementsAre("10.0.0.1:8080 10.0.0.1:9000", "10.0.0.2:8080 10.0.0.2:9000"));
  EXPECT_THAT(Texts({slice}, "127.0.0.1"), ElementsAre("127.0.0.1:8080 127.0.0.1:9000"));
}

TEST(EndpointPlacesTest, OnePortIsForAll) {
  EXPECT_THAT(Texts({Slice("{endpoints: [{addresses: ['fd00::1']}], ports: [{name: web, port: 80}]}")}),
              ElementsAre("[fd00::1]:80 [fd00::1]:80"));
}

TEST(EndpointPlacesTest, WhatIsMalformedIsLeftOut) {
  for (const char* const yaml : {"{}", "{endpoints: x}", "{endpoints: [{addresses: [10.0.0.1]}]}",
                                 "{endpoints: [{addresses: [10.0.0.1]}], ports: [{port: 0}, {port: 70000}, {port: x}]}",
                                 "{endpoints: [{addresses: x}], ports: [{port: 80}]}"}) {
    EXPECT_THAT(Texts({Slice(yaml)}), IsEmpty()) << yaml;
  }
}

TEST(EndpointPlacesTest, PodsAreNamedByWhatTheEndpointIs) {
  const auto slice = Slice(
      "{endpoints: [{addresses: [10.0.0.2], targetRef: {kind: Pod, name: b}}, {addresses: [10.0.0.1], targetRef: "
      "{name: "
      "a}}, {addresses: [10.0.0.3], targetRef: {name: c}, conditions: {ready: false}}, {addresses: [10.0.0.4]}]}");
  EXPECT_THAT(ReadyPods(std::vector{slice, slice}), ElementsAre("a", "b"));
}

TEST(EndpointPlacesTest, AddressesOfANamedPort) {
  const auto slice = Slice(
      "{endpoints: [{addresses: [10.0.0.2]}, {addresses: [10.0.0.1]}], ports: [{name: http, port: 8080}, {name: "
      "status, "
      "port: 8081}]}");
  EXPECT_THAT(ReadyAddresses(std::vector{slice}, "status", ""), ElementsAre("10.0.0.1:8081", "10.0.0.2:8081"));
  EXPECT_THAT(ReadyAddresses(std::vector{slice}, "other", ""), IsEmpty());
}

}  // namespace
}  // namespace inferd::clustergateway
