#include "kserve/cluster/graphs/graph_reporter.h"

#include <gmock/gmock.h>

#include <optional>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/kubernetes/scripted_api_fixture.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using manifest::TextAt;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kGraphStatusPath =
    "PUT /apis/serving.kserve.io/v1alpha1/namespaces/m/inferencegraphs/chain/status";
constexpr const char* kEventPath = "POST /api/v1/namespaces/m/events";

class GraphReporterTest : public testing::Test {
 protected:
  // Reports a state of a graph with that status to a server that accepts it. Returns whether it was written, or the
  // error.
  std::string Report(const model::GraphState& state, const std::optional<manifest::Value>& before = {}) {
    api_.emplace(answers_);
    kubernetes::ScriptedClient client(*api_, {.retry = {.attempts = 1}});
    StatusWriter statuses(*client, clock_, metrics_);
    GraphReporter reporter(statuses);
    manifest::Value live = Yaml(
        "{apiVersion: serving.kserve.io/v1alpha1, kind: InferenceGraph, metadata: {name: chain, namespace: m, uid: g, "
        "resourceVersion: '7', generation: 2}}");
    if (before.has_value()) live.Set("status", *before);
    const auto reported = reporter.Report(live, state, {});
    if (!reported.has_value()) return reported.error().reason;
    return *reported ? "written" : "as it was";
  }
  manifest::Value Sent(size_t i) {
    const std::string request = api_->requests().at(i);
    return kubernetes::FromJson(request.substr(request.find("\r\n\r\n") + 4));
  }
  manifest::Value Status() { return *Sent(0).Find("status"); }

  base::FakeClock clock_;
  metrics::Registry metrics_;
  std::vector<std::string> answers_ = std::vector<std::string>(2, Answer(200, "{}"));
  std::optional<kubernetes::ScriptedApi> api_;
  const model::GraphState ready_ = {.url = "http://chain", .generation = 2};
};

TEST_F(GraphReporterTest, OneThatBecomesReadyIsToldOnce) {
  EXPECT_EQ(Report(ready_), "written");
  EXPECT_THAT(api_->lines(), ElementsAre(kGraphStatusPath, kEventPath));
  EXPECT_EQ(TextAt(Sent(0), {"metadata", "resourceVersion"}), "7") << "of the object that was looked at";
  EXPECT_EQ(TextAt(Status(), {"observedGeneration"}), "2");
  EXPECT_EQ(TextAt(Sent(1), {"message"}), "InferenceGraph [chain] is Ready");
  const manifest::Value status = Status();
  clock_.AdvanceMs(60'000);
  EXPECT_EQ(Report(ready_, status), "as it was");
  EXPECT_THAT(api_->lines(), IsEmpty());
}

TEST_F(GraphReporterTest, WhatIsWrongIsToldAndWhatIsOnItsWayIsNot) {
  EXPECT_EQ(Report({.configurations = {"False", "ServiceNotFound", "no iris"}, .generation = 2}), "written");
  EXPECT_EQ(TextAt(Sent(1), {"type"}) + " " + TextAt(Sent(1), {"message"}), "Warning no iris");
  const manifest::Value status = Status();
  EXPECT_EQ(Report({.configurations = {"Unknown", "RouterUpdating", "m"}, .generation = 2}, status), "written");
  EXPECT_THAT(api_->lines(), ElementsAre(kGraphStatusPath));
}

TEST_F(GraphReporterTest, TimesAreThoseOfTheLastChange) {
  Report({.configurations = {"False", "R", "m"}, .generation = 2});
  const manifest::Value status = Status();
  const std::string begun = TextAt(status.Find("conditions")->items().front(), {"lastTransitionTime"});
  clock_.AdvanceMs(60'000);
  Report({.configurations = {"False", "R", "another"}, .generation = 2}, status);
  EXPECT_EQ(TextAt(Status().Find("conditions")->items().front(), {"lastTransitionTime"}), begun);
  Report(ready_, status);
  EXPECT_NE(TextAt(Status().Find("conditions")->items().front(), {"lastTransitionTime"}), begun);
}

TEST_F(GraphReporterTest, WhatWasNotWrittenIsNotTold) {
  answers_ = {Answer(409, kubernetes::StatusJson(409, "Conflict", "it was changed"))};
  EXPECT_EQ(Report(ready_), "Conflict");
  EXPECT_THAT(api_->lines(), ElementsAre(kGraphStatusPath));
}

}  // namespace
}  // namespace inferd::cluster
