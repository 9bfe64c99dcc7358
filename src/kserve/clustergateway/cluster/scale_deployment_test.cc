#include "kserve/clustergateway/cluster/scale_deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::clustergateway {
namespace {

TEST(ScaleDeploymentsTest, WhatIsSentToTheServer) {
  kubernetes::ScriptedApi api({kubernetes::Answer(200, "{}"), kubernetes::Answer(200, "{}"),
                               kubernetes::Answer(409, kubernetes::StatusJson(409, "Conflict", "changed"))});
  kubernetes::ScriptedClient client(api);
  const ScaleWriter::Write write = ScaleDeployments(*client);
  EXPECT_TRUE(write({"a", "r-00001"}, {.replicas = 3, .resource_version = ""}, {}).has_value());
  EXPECT_TRUE(write({"a", "r-00001"}, {.replicas = 0, .resource_version = "12"}, {}).has_value());
  EXPECT_TRUE(write({"a", "r-00001"}, {.replicas = 0, .resource_version = "12"}, {}).error().is_conflict());
  EXPECT_THAT(api.lines()[0], "PATCH /apis/apps/v1/namespaces/a/deployments/r-00001/scale?fieldManager=inferd-gateway");
  EXPECT_THAT(api.requests()[0], ::testing::HasSubstr(R"({"spec":{"replicas":3}})"));
  EXPECT_THAT(api.requests()[1],
              ::testing::HasSubstr(R"({"metadata":{"resourceVersion":"12"},"spec":{"replicas":0}})"));
}

}  // namespace
}  // namespace inferd::clustergateway
