#include "kserve/cluster/services/served_way.h"

#include <gmock/gmock.h>

#include "kserve/cluster/object_fixture.h"
#include "kserve/cluster/objects/resources.h"

namespace inferd::cluster {
namespace {

using enum model::DeploymentMode;
using manifest::Value;

constexpr const char* kOwnedBy =
    "ownerReferences: [{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, "
    "name: iris, controller: true, uid: ";

class ServedWayTest : public testing::Test {
 protected:
  void Add(const kubernetes::Resource& resource, const std::string& name, const std::string& labels = "",
           const std::string& uid = "u1") {
    there_.push_back(
        {&resource, std::make_shared<const Value>(Yaml("{metadata: {name: " + name + ", namespace: m, " + kOwnedBy +
                                                       uid + "}], labels: {" + labels + "}}}"))});
  }
  void AddRevision() {
    Add(Deployments(), "iris-predictor-default-00001",
        "serving.knative.dev/configuration: iris-predictor-default, serving.knative.dev/configurationGeneration: '1'");
  }
  ServedWay Way(const std::string& conditions = "") const {
    return ServedWayOf(Yaml("{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, "
                            "namespace: m, uid: u1}, status: {conditions: [" +
                            conditions + "]}}"),
                       there_);
  }

  std::vector<LabelledObject> there_;
};

TEST_F(ServedWayTest, ANewServiceIsServedInNoWay) {
  EXPECT_EQ(Way().mode, std::nullopt);
  Add(Deployments(), "iris-predictor-default", "", "another");
  Add(Deployments(), "iris-sidecar");
  EXPECT_EQ(Way().mode, std::nullopt) << "these are not its own";
}

TEST_F(ServedWayTest, ItsObjectsTellTheMode) {
  Add(Deployments(), "iris-predictor-default");
  EXPECT_EQ(Way().mode, kRawDeployment);
  there_.clear();
  Add(KnativeServices(), "iris-predictor-default");
  EXPECT_EQ(Way().mode, kServerless);
  EXPECT_TRUE(Way().by_knative);
  Add(Deployments(), "iris-predictor-default");
  EXPECT_EQ(Way().mode, std::nullopt) << "it is on its way from one to the other";
}

TEST_F(ServedWayTest, OfRevisionsTheStatusTellsTheMode) {
  AddRevision();
  EXPECT_TRUE(Way().by_gateway);
  EXPECT_EQ(Way().mode, std::nullopt);
  const std::string ready = "{type: PredictorReady, status: 'True'}";
  EXPECT_EQ(Way(ready).mode, kRawDeployment) << "a canary in raw mode";
  EXPECT_EQ(Way(ready + ", {type: PredictorRouteReady, status: 'True'}").mode, kServerless);
}

}  // namespace
}  // namespace inferd::cluster
