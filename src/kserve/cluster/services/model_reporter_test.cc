#include "kserve/cluster/services/model_reporter.h"

#include <gmock/gmock.h>

#include "data/manifest/value_path.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/kubernetes/scripted_api_fixture.h"
#include "kserve/model/status/service_status.h"

namespace inferd::cluster {
namespace {

using kubernetes::Answer;
using manifest::Value;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kTrainedModel =
    "{apiVersion: serving.kserve.io/v1alpha1, kind: TrainedModel, metadata: {name: cola, namespace: m, "
    "resourceVersion: "
    "'7'}, spec: {inferenceService: iris, model: {storageUri: 's3://a/b', framework: onnx, memory: 600Mi}}}";

class ModelReporterTest : public testing::Test {
 protected:
  static std::shared_ptr<const model::TrainedModel> Model(Value document) {
    manifest::Problems problems;
    return std::make_shared<model::TrainedModel>(model::ReadTrainedModel(std::move(document), problems));
  }
  // Returns the requests that were sent about a service's models.
  std::vector<std::string> Report(const Models& models, const ModelHost& host) {
    kubernetes::ScriptedApi api(std::vector<std::string>(models.size(), Answer(200, "{}")));
    kubernetes::ScriptedClient client(api, {.retry = {.attempts = 1}});
    StatusWriter statuses(*client, clock_, metrics_);
    ModelReporter reporter(statuses);
    EXPECT_TRUE(reporter.Report(models, host, {}).has_value());
    return api.requests();
  }
  static Value StatusIn(const std::string& request) {
    return *kubernetes::FromJson(request.substr(request.find("\r\n\r\n") + 4)).Find("status");
  }

  base::FakeClock clock_;
  metrics::Registry metrics_;
  const ModelHost ready_ = {.there = true,
                            .ready = true,
                            .takes_models = true,
                            .memory_limit = int64_t{1} << 30,
                            .url = "http://iris.m.svc.cluster.local/v1/models/iris:predict"};
};

TEST_F(ModelReporterTest, AModelOfAServiceThatIsReadyHasItsAddress) {
  const auto sent = Report({Model(Yaml(kTrainedModel))}, ready_);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0], HasSubstr("PUT /apis/serving.kserve.io/v1alpha1/namespaces/m/trainedmodels/cola/status"));
  const Value status = StatusIn(sent[0]);
  EXPECT_EQ(model::ConditionOf(status, "Ready"), "True");
  EXPECT_EQ(manifest::TextAt(status, {"url"}), "http://iris.m.svc.cluster.local/v1/models/cola:predict");
}

TEST_F(ModelReporterTest, AStatusThatIsAsItWasIsNotWritten) {
  Value document = Yaml(kTrainedModel);
  document.Set("status", StatusIn(Report({Model(document)}, ready_).at(0)));
  EXPECT_THAT(Report({Model(document)}, ready_), IsEmpty());
}

TEST_F(ModelReporterTest, ModelsThatDoNotFitBesideEachOtherSaySo) {
  const auto sent = Report({Model(Yaml(kTrainedModel)), Model(Yaml(kTrainedModel))}, ready_);
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(model::ConditionOf(StatusIn(sent[0]), "MemoryResourceAvailable"), "True");
  EXPECT_EQ(model::ConditionOf(StatusIn(sent[1]), "MemoryResourceAvailable"), "False");
}

TEST_F(ModelReporterTest, AModelThatCannotBeUsedSaysWhy) {
  auto broken = std::make_shared<model::TrainedModel>(*Model(Yaml(kTrainedModel)));
  broken->fault = "spec.model.memory: is no quantity";
  const auto sent = Report({broken, Model(Yaml(kTrainedModel))}, ready_);
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(model::ConditionOf(StatusIn(sent[0]), "Ready"), "False");
  EXPECT_THAT(sent[0], HasSubstr("spec.model.memory: is no quantity"));
  EXPECT_EQ(model::ConditionOf(StatusIn(sent[1]), "Ready"), "True") << "the other has no room for it to take";
}

TEST_F(ModelReporterTest, AServiceThatIsMissingIsNamed) {
  const auto sent = Report({Model(Yaml(kTrainedModel))}, {});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent[0],
              HasSubstr("Inference Service \\\"iris\\\" does not exist. Trained Model \\\"cola\\\" cannot deploy"));
}

}  // namespace
}  // namespace inferd::cluster
