#include "kserve/cluster/services/status_reporter.h"

#include <gmock/gmock.h>

#include <optional>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/kubernetes/scripted_api_fixture.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using manifest::TextAt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStatusPath = "PUT /apis/serving.kserve.io/v1beta1/namespaces/m/inferenceservices/iris/status";

class StatusReporterTest : public testing::Test {
 protected:
  // Reports a state of a service with that status to a server that accepts it. Returns whether it was written, or the
  // error.
  std::string Report(const model::ServiceState& state, const std::optional<manifest::Value>& before = {}) {
    api_.emplace(answers_);
    kubernetes::ScriptedClient client(*api_, {.retry = {.attempts = 1}});
    StatusWriter statuses(*client, clock_, metrics_);
    StatusReporter reporter(statuses);
    manifest::Value live = Yaml(
        "{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: iris, namespace: m, uid: u, "
        "resourceVersion: '7', generation: 2}, spec: {predictor: {model: {modelFormat: {name: onnx}, storageUri: "
        "s}}}}");
    if (before.has_value()) live.Set("status", *before);
    manifest::Problems problems;
    const auto reported = reporter.Report(live, model::ReadInferenceService(live, problems), state, {}, {});
    if (!reported.has_value()) return reported.error().reason;
    return *reported ? "written" : "as it was";
  }
  manifest::Value Sent(size_t i) {
    const std::string request = api_->requests().at(i);
    return kubernetes::FromJson(request.substr(request.find("\r\n\r\n") + 4));
  }
  manifest::Value Status() { return *Sent(0).Find("status"); }

  static model::ServiceState Ready() {
    model::ComponentState predictor;
    predictor.observed = {.ready = {"True", "", ""}};
    predictor.traffic = {{.revision = "1", .latest = true, .percent = 100, .tag = ""}};
    return {.mode = model::DeploymentMode::kRawDeployment, .components = {predictor}};
  }
  static model::ServiceState Failed() {
    return {.failure = model::ResolutionFailure{"NoSupportingRuntime", "m", "no runtime found"}};
  }

  base::FakeClock clock_;
  metrics::Registry metrics_;
  std::vector<std::string> answers_ = std::vector<std::string>(3, Answer(200, "{}"));
  std::optional<kubernetes::ScriptedApi> api_;
};

TEST_F(StatusReporterTest, OneThatBecomesReadyIsToldOnce) {
  EXPECT_EQ(Report(Ready()), "written");
  EXPECT_THAT(api_->lines(), ElementsAre(kStatusPath, "POST /api/v1/namespaces/m/events"));
  EXPECT_EQ(TextAt(Sent(0), {"metadata", "resourceVersion"}), "7") << "of the object that was looked at";
  EXPECT_EQ(TextAt(Status(), {"observedGeneration"}), "2");
  EXPECT_EQ(TextAt(Sent(1), {"message"}), "InferenceService [iris] is Ready");
  const manifest::Value status = Status();
  clock_.AdvanceMs(60'000);
  EXPECT_EQ(Report(Ready(), status), "as it was");
  EXPECT_THAT(api_->lines(), IsEmpty());
  model::ServiceState gone = Ready();
  gone.components[0].observed->ready = {"False", "MinimumReplicasUnavailable", "none"};
  gone.components[0].traffic.clear();
  EXPECT_EQ(Report(gone, status), "written");
  EXPECT_EQ(TextAt(Sent(1), {"message"}), "InferenceService [iris] is no longer Ready");
}

TEST_F(StatusReporterTest, AFailureIsToldWhenItIsAnother) {
  EXPECT_EQ(Report(Failed()), "written");
  EXPECT_EQ(TextAt(Sent(1), {"reason"}), "InternalError");
  EXPECT_EQ(TextAt(Sent(1), {"message"}), "fails to reconcile predictor: no runtime found");
  EXPECT_EQ(Report(Failed(), Status()), "as it was");
}

TEST_F(StatusReporterTest, WhatWasNotWrittenIsNotTold) {
  answers_ = {Answer(409, kubernetes::StatusJson(409, "Conflict", "it was changed"))};
  EXPECT_EQ(Report(Ready()), "Conflict");
  EXPECT_THAT(api_->lines(), ElementsAre(kStatusPath));
}

}  // namespace
}  // namespace inferd::cluster
