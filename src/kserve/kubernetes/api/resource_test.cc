#include "kserve/kubernetes/api/resource.h"

#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::kubernetes {
namespace {

const Resource kDeployments = {.group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
const Resource kNodes = {.group = "", .version = "v1", .kind = "Node", .plural = "nodes", .namespaced = false};

TEST(ResourceTest, PathsAreThoseOfTheApi) {
  EXPECT_EQ(CollectionPath(kDeployments, "a"), "/apis/apps/v1/namespaces/a/deployments");
  EXPECT_EQ(CollectionPath(kDeployments, ""), "/apis/apps/v1/deployments");
  EXPECT_EQ(CollectionPath(kNodes, "a"), "/api/v1/nodes");
  EXPECT_EQ(ObjectPath(kDeployments, {"a", "b"}), "/apis/apps/v1/namespaces/a/deployments/b");
  EXPECT_EQ(ObjectPath(kNodes, {"", "n"}, "status"), "/api/v1/nodes/n/status");
}

TEST(ResourceTest, ANameCannotLeaveItsPlace) {
  EXPECT_EQ(ObjectPath(kDeployments, {"a/../b", "c?d#e/f"}),
            "/apis/apps/v1/namespaces/a%2F..%2Fb/deployments/c%3Fd%23e%2Ff");
}

TEST(ResourceTest, AnObjectSaysWhatItIsAndWhere) {
  EXPECT_EQ(manifest::ToJson(MakeObject(kDeployments, {"a", "b"})),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"b","namespace":"a"}})");
  EXPECT_EQ(manifest::ToJson(MakeObject(kNodes, {"", "n"})),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  EXPECT_EQ(NameOf(MakeObject(kDeployments, {"a", "b"})), (ObjectName{"a", "b"}));
  EXPECT_EQ(NameOf(manifest::Value::Int(3)), (ObjectName{"", ""}));
}

}  // namespace
}  // namespace inferd::kubernetes
