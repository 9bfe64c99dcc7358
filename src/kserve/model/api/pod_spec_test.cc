#include "kserve/model/api/pod_spec.h"

#include <gmock/gmock.h>

#include "kserve/model/objects_fixture.h"

namespace inferd::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns the problems of a service whose model has that field.
std::vector<std::string> ProblemsOf(const std::string& field) {
  const auto objects =
      ParseObjects(ServiceYaml("  predictor:\n    model:\n      modelFormat: {name: onnx}\n      " + field + "\n"));
  return objects.size() == 1 ? TextsOf(objects[0].problems) : std::vector<std::string>{"no object"};
}

TEST(PodSpecTest, AProbeNamesItsPort) {
  for (const std::string probe : {"readinessProbe", "livenessProbe", "startupProbe"}) {
    for (const std::string handler : {"httpGet", "tcpSocket", "grpc"}) {
      for (const std::string fields : {"{}", "{path: /}", "{port: null}"}) {
        EXPECT_THAT(ProblemsOf(probe + ": {" + handler + ": " + fields + "}"),
                    ElementsAre(testing::AllOf(
                        testing::StartsWith("f:10:"),
                        testing::EndsWith("spec.predictor.model." + probe + "." + handler + ".port: is required"))));
      }
      EXPECT_THAT(ProblemsOf(probe + ": {" + handler + ": {port: 80}}"), IsEmpty());
      EXPECT_THAT(ProblemsOf(probe + ": {" + handler + ": {port: http}}"), IsEmpty());
    }
    EXPECT_THAT(ProblemsOf(probe + ": {exec: {command: [x]}}"), IsEmpty());
  }
}

TEST(PodSpecTest, OnlyTheServersProbesMayBeTimesAlone) {
  const auto problems = [](const std::string& probe) {
    const auto objects = ParseObjects(ServiceYaml(
        "  predictor:\n    containers:\n    - {name: a, image: x}\n    - {name: b, image: x, " + probe + "}\n"));
    return TextsOf(objects.at(0).problems);
  };
  for (const std::string probe : {"readinessProbe", "livenessProbe", "startupProbe"}) {
    EXPECT_THAT(ProblemsOf(probe + ": {periodSeconds: 2}"), IsEmpty()) << "a connection to the first port";
    EXPECT_THAT(ProblemsOf(probe + ": {}"), IsEmpty());
    EXPECT_THAT(problems(probe + ": {}"), IsEmpty()) << "nothing is said";
    if (probe == "readinessProbe") continue;
    EXPECT_THAT(problems(probe + ": {periodSeconds: 2}"),
                ElementsAre(testing::EndsWith("spec.predictor.containers[1]." + probe +
                                              ": must have one of httpGet, tcpSocket, exec and grpc")));
  }
}

TEST(PodSpecTest, OfAWrongTypeNoMoreIsSaid) {
  EXPECT_THAT(ProblemsOf("livenessProbe: {httpGet: x}"),
              ElementsAre(testing::HasSubstr("spec.predictor.model.livenessProbe.httpGet: must be a map")));
}

}  // namespace
}  // namespace inferd::model
