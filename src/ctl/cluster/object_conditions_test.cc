#include "ctl/cluster/object_conditions.h"

#include <gtest/gtest.h>

#include "data/manifest/read.h"

namespace inferd::ctl {
namespace {

manifest::Value Service(const std::string& conditions) {
  return manifest::ReadYaml("status: {conditions: " + conditions + "}", "test").value().front();
}

TEST(ObjectConditionsTest, ReasonsOfFalseConditionsAreTold) {
  EXPECT_EQ(
      FalseConditions(Service("[{type: PredictorReady, status: 'False', reason: RevisionFailed, message: no file},"
                              " {type: IngressReady, status: 'True', message: fine},"
                              " {type: RoutesReady, status: 'Unknown', message: not yet},"
                              " {type: LatestReady, status: 'False', message: another},"
                              " {type: Ready, status: 'False', message: no file}]")),
      "PredictorReady is False (RevisionFailed): no file; LatestReady is False: another");
}

TEST(ObjectConditionsTest, WithoutAReasonThereIsNothingToTell) {
  EXPECT_EQ(FalseConditions(Service("[]")), "");
  EXPECT_EQ(FalseConditions(Service("null")), "");
  EXPECT_EQ(FalseConditions(Service("[{type: Ready, status: 'False'}]")), "");
  EXPECT_EQ(FalseConditions(manifest::Value()), "");
}

TEST(ObjectConditionsTest, AConditionHasTheWantedStatus) {
  const manifest::Value service = Service("[{type: Ready, status: 'False'}]");
  EXPECT_TRUE(HasCondition(service, "Ready", "False"));
  EXPECT_FALSE(HasCondition(service, "Ready", "True"));
  EXPECT_FALSE(HasCondition(service, "Other", "False"));
}

}  // namespace
}  // namespace inferd::ctl
