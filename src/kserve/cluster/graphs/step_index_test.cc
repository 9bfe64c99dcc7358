#include "kserve/cluster/graphs/step_index.h"

#include <gmock/gmock.h>

#include "kserve/cluster/object_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::ObjectName;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> NamesOf(const std::vector<ObjectName>& graphs) {
  std::vector<std::string> names;
  for (const ObjectName& graph : graphs) names.push_back(graph.namespace_name + "/" + graph.name);
  return names;
}

TEST(StepIndexTest, GraphsAreFoundByWhatTheirStepsNameNow) {
  StepIndex index;
  index.Set({"m", "chain"}, {"iris", "digits"});
  index.Set({"m", "both"}, {"iris"});
  index.Set({"other", "chain"}, {"iris"});
  EXPECT_THAT(NamesOf(index.GraphsOf({"m", "iris"})), ElementsAre("m/both", "m/chain"));
  index.Set({"m", "chain"}, {"digits"});
  EXPECT_THAT(NamesOf(index.GraphsOf({"m", "iris"})), ElementsAre("m/both"));
  EXPECT_THAT(NamesOf(index.GraphsOf({"m", "digits"})), ElementsAre("m/chain"));
  index.Set({"m", "both"}, {});
  index.Set({"m", "chain"}, {});
  index.Set({"m", "never"}, {});
  EXPECT_THAT(index.GraphsOf({"m", "iris"}), IsEmpty());
  EXPECT_THAT(index.GraphsOf({"m", "digits"}), IsEmpty());
  EXPECT_THAT(NamesOf(index.GraphsOf({"other", "iris"})), ElementsAre("other/chain"));
}

TEST(StepIndexTest, WhatCannotBeReadNamesNothing) {
  EXPECT_THAT(ServicesNamedBy(Yaml("{spec: {nodes: {root: {steps: [{serviceName: a}, {nodeName: b}, {serviceName: 7}, "
                                   "x]}, b: {steps: [{serviceName: c, serviceUrl: u}]}, d: e}}}")),
              ElementsAre("a", "c"));
  EXPECT_THAT(ServicesNamedBy(Yaml("{spec: {nodes: x}}")), IsEmpty());
  EXPECT_THAT(ServicesNamedBy(manifest::Value()), IsEmpty());
}

}  // namespace
}  // namespace inferd::cluster
