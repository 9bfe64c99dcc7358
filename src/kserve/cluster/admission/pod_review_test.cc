#include "kserve/cluster/admission/pod_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "data/manifest/print.h"
#include "kserve/apiserver/patch/json_patch.h"
#include "kserve/cluster/object_fixture.h"
#include "kserve/model/pods/inject/pod_injection.h"

namespace inferd::cluster {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kModel = "internal.serving.kserve.io/storage-initializer-sourceuri: s3://b/m";
constexpr const char* kServer = "containers: [{name: kserve-container, image: server:1}]";

class PodReviewTest : public ::testing::Test {
 protected:
  // Makes a review of a new pod of a service. Annotations and spec are the texts between the braces.
  static AdmissionRequest RequestOf(const std::string& annotations, const std::string& spec) {
    AdmissionRequest request;
    request.uid = "u";
    request.kind = "Pod";
    request.namespace_name = "models";
    request.operation = "CREATE";
    request.object = Yaml(
        "{apiVersion: v1, kind: Pod, metadata: {generateName: x-, labels: {serving.kserve.io/inferenceservice: x, "
        "component: predictor}, annotations: {" +
        annotations + "}}, spec: {" + spec + "}}");
    return request;
  }

  AdmissionResponse Ask(const AdmissionRequest& request) { return ReviewPod(request, context_, stop_.get_token()); }

  // Returns "allowed" with the patch, if any, or else the code and the message.
  std::string VerdictOf(const AdmissionRequest& request) {
    const AdmissionResponse response = Ask(request);
    EXPECT_EQ(response.uid, "u");
    if (!response.allowed) return std::to_string(response.code) + ": " + response.message;
    return "allowed" + (response.patch.is(manifest::Kind::kNull) ? "" : " " + manifest::ToJson(response.patch));
  }

  void Have(const std::string& kind, const std::string& name, const std::string& yaml) {
    objects_[kind + " models/" + name] = std::make_shared<const Value>(Yaml("{" + yaml + "}"));
  }

  kubernetes::ApiResult<kubernetes::ObjectPointer> Find(const std::string& kind, const kubernetes::ObjectName& name) {
    asked_.push_back(kind + " " + name.namespace_name + "/" + name.name);
    if (asked_.back() == forbidden_) {
      return std::unexpected(kubernetes::ApiError{.code = 403, .reason = "Forbidden", .message = "no rights"});
    }
    const auto found = objects_.find(asked_.back());
    return found == objects_.end() ? nullptr : found->second;
  }

  Configuration configuration_;
  std::map<std::string, kubernetes::ObjectPointer> objects_;
  std::string forbidden_;
  std::vector<std::string> asked_;
  std::stop_source stop_;
  PodReviewContext context_{.configuration = [this] { return std::make_shared<const Configuration>(configuration_); },
                            .find = [this](const std::string& kind, const kubernetes::ObjectName& name,
                                           const std::stop_token&) { return Find(kind, name); }};
};

TEST_F(PodReviewTest, APodIsGivenWhatItLacksByTheLeastChange) {
  Have("ServiceAccount", "robot", "secrets: [{name: keys}]");
  Have("Secret", "keys", "metadata: {name: keys}, data: {awsSecretAccessKey: YQ==}");
  const AdmissionRequest request = RequestOf(
      kModel, "serviceAccountName: robot, " + std::string(kServer) + ", volumes: [{name: token, emptyDir: {}}]");
  const AdmissionResponse response = Ask(request);
  ASSERT_TRUE(response.allowed) << response.message;
  EXPECT_THAT(asked_, ElementsAre("ServiceAccount models/robot", "Secret models/keys"));
  std::vector<std::string> paths;
  for (const Value& operation : response.patch.items()) paths.push_back(operation.Find("path")->text());
  EXPECT_THAT(paths, ElementsAre("/spec/containers/0/volumeMounts", "/spec/volumes/-", "/spec/initContainers"));
  const auto patched = apiserver::JsonPatch(request.object, response.patch);
  ASSERT_TRUE(patched.has_value()) << patched.error().message();
  const auto injected = model::InjectPodDocument(
      request.object, "models",
      {.config = configuration_.config, .find = [this](std::string_view kind, std::string_view name) {
         return std::optional<Value>(**Find(std::string(kind), {"models", std::string(name)}));
       }});
  EXPECT_EQ(*patched, *injected);
  EXPECT_THAT(manifest::ToJson(*patched->Find("spec")->Find("initContainers")), HasSubstr(R"("name":"keys")"));
}

TEST_F(PodReviewTest, APodThatHasAllIsLeftAsItIsWithoutALookup) {
  AdmissionRequest request =
      RequestOf(std::string(kModel) +
                    ", internal.serving.kserve.io/logger: 'true', serving.kserve.io/enable-prometheus-scraping: "
                    "'true', prometheus.kserve.io/port: '9'",
                kServer);
  const AdmissionResponse first = Ask(request);
  const auto patched = apiserver::JsonPatch(request.object, first.patch);
  ASSERT_TRUE(patched.has_value());
  request.object = *patched;
  asked_.clear();
  forbidden_ = "ServiceAccount models/default";
  configuration_.problems.push_back({.path = "data.agent", .message = "is wrong"});
  EXPECT_EQ(VerdictOf(request), "allowed");
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(PodReviewTest, ATemplateOfTheControllerLacksNothing) {
  model::ResolvedPod pod;
  pod.namespace_name = "models";
  pod.labels = {{"serving.kserve.io/inferenceservice", "x"}};
  pod.annotations = {{"internal.serving.kserve.io/storage-initializer-sourceuri", "pvc://claim/m"},
                     {"internal.serving.kserve.io/batcher", "true"},
                     {"serving.kserve.io/gke-accelerator", "t4"}};
  pod.pod_spec = Yaml("{containers: [{name: kserve-container, image: s, resources: {limits: {nvidia.com/gpu: '1'}}}]}");
  for (const auto form : {model::PodForm::kPod, model::PodForm::kRevision}) {
    const auto made = model::InjectPod(pod, {.config = configuration_.config, .find = {}, .form = form});
    ASSERT_TRUE(made.has_value()) << made.error().message();
    AdmissionRequest request = RequestOf("", kServer);
    request.object.Set("spec", made->pod_spec);
    request.object.MapAt("metadata").Set("annotations", Value::StringMap(made->annotations));
    EXPECT_EQ(VerdictOf(request), "allowed");
  }
}

TEST_F(PodReviewTest, OthersPodsAreLeftAsTheyAre) {
  AdmissionRequest request = RequestOf(kModel, "containers: 7");
  EXPECT_THAT(VerdictOf(request), HasSubstr("400: spec.containers: must be a list"));
  request.object.MapAt("metadata").Set("labels", Yaml("{app: x}"));
  EXPECT_EQ(VerdictOf(request), "allowed");
  request.object.MapAt("metadata").Set("labels", Yaml("[serving.kserve.io/inferenceservice]"));
  EXPECT_EQ(VerdictOf(request), "allowed");
  request = RequestOf(kModel, kServer);
  request.operation = "UPDATE";
  EXPECT_EQ(VerdictOf(request), "allowed") << "containers of a pod that is there cannot change";
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(PodReviewTest, WhatCannotBeReadIsNamedByItsFieldAndItself) {
  forbidden_ = "ServiceAccount models/robot";
  EXPECT_EQ(VerdictOf(RequestOf(kModel, "serviceAccountName: robot, " + std::string(kServer))),
            "500: spec.serviceAccountName: ServiceAccount \"robot\" of the namespace \"models\" cannot be read: "
            "Forbidden: no rights");
  Have("ServiceAccount", "default", "secrets: [{name: keys}, {name: others}]");
  forbidden_ = "Secret models/keys";
  asked_.clear();
  EXPECT_EQ(VerdictOf(RequestOf(kModel, kServer)),
            "500: spec.serviceAccountName: Secret \"keys\" of the namespace \"models\" cannot be read: Forbidden: no "
            "rights");
  EXPECT_THAT(asked_, ElementsAre("ServiceAccount models/default", "Secret models/keys"))
      << "one that failed is enough";
  forbidden_ = "Secret models/storage-config";
  const std::string specified = std::string(kModel) + ", internal.serving.kserve.io/storage-spec: 'true'";
  EXPECT_EQ(VerdictOf(RequestOf(specified, kServer)),
            "500: metadata.annotations.internal.serving.kserve.io/storage-spec: Secret \"storage-config\" of the "
            "namespace \"models\" cannot be read: Forbidden: no rights");
  stop_.request_stop();
  EXPECT_THAT(VerdictOf(RequestOf(specified, kServer)),
              HasSubstr("cannot be read: the API server did not answer in time"));
}

TEST_F(PodReviewTest, AbsentSecretsAreSaidWhereOneIsAskedForByName) {
  Have("ServiceAccount", "default", "secrets: [{name: keys}]");
  EXPECT_THAT(VerdictOf(RequestOf(kModel, kServer)), HasSubstr("allowed ["))
      << "an account's secrets may be for others";
  EXPECT_EQ(VerdictOf(RequestOf(std::string(kModel) + ", internal.serving.kserve.io/storage-spec: 'true', "
                                                      "internal.serving.kserve.io/storage-spec-key: k",
                                kServer)),
            "400: can't read storage secret storage-config: secrets \"storage-config\" not found");
}

TEST_F(PodReviewTest, AWrongConfigurationPutsNothingIntoPods) {
  configuration_.problems.push_back({.path = "data.agent", .message = "is wrong"});
  EXPECT_EQ(VerdictOf(RequestOf(kModel, kServer)), "500: inferenceservice-config: data.agent: is wrong");
  EXPECT_EQ(VerdictOf(RequestOf("", kServer)), "allowed");
}

// Whatever a field contains, the pod is either allowed or denied with the field's name.
TEST_F(PodReviewTest, HostilePodsAreRefusedByTheirField) {
  const std::string long_name(253, 'n');
  const std::string logger = "internal.serving.kserve.io/logger: 'true'";
  for (const auto& [request, verdict] : std::vector<std::pair<AdmissionRequest, std::string>>{
           {RequestOf(std::string(kModel) + ", a: 1", kServer), "400: metadata.annotations.a: must be a string"},
           {RequestOf(kModel, "containers: []"), "400: Invalid configuration: cannot find container: kserve-container"},
           {RequestOf(kModel, "containers: [1]"), "400: spec.containers[0]: must be a map"},
           {RequestOf(kModel, "containers: [{name: 7}]"), "400: spec.containers[0].name: must be a string"},
           {RequestOf(kModel, "containers: [{name: kserve-container, args: x}]"), "400: spec.containers[0].args: "},
           {RequestOf(kModel, "containers: [{name: kserve-container, env: [x]}]"), "400: spec.containers[0].env[0]: "},
           {RequestOf(kModel, std::string(kServer) + ", volumes: {}"), "400: spec.volumes: "},
           {RequestOf(kModel, std::string(kServer) + ", serviceAccountName: [x]"), "400: spec.serviceAccountName: "},
           {RequestOf(kModel, std::string(kServer) + ", initContainers: 1"), "400: spec.initContainers: "},
           {RequestOf(kModel, std::string(kServer) + ", nodeSelector: []"), "400: spec.nodeSelector: "},
           {RequestOf(kModel, std::string(kServer) + ", serviceAccountName: ../../x"), "allowed ["},
           {RequestOf(kModel, std::string(kServer) + ", serviceAccountName: " + long_name), "allowed ["},
           {RequestOf("internal.serving.kserve.io/batcher: 'true', internal.serving.kserve.io/batcher-max-batchsize: "
                      "many",
                      kServer),
            "400: metadata.annotations.internal.serving.kserve.io/batcher-max-batchsize: must be a whole number, not "
            "\"many\""},
           {RequestOf(logger + ", internal.serving.kserve.io/logger-sink-url: '" + std::string(5'000, 'u') + "'",
                      kServer),
            "allowed ["},
           {RequestOf("internal.serving.kserve.io/storage-initializer-sourceuri: 'pvc://'", kServer),
            "400: Invalid URI must be pvc://<pvcname>/[path]: pvc://"},
       }) {
    EXPECT_THAT(VerdictOf(request), HasSubstr(verdict)) << manifest::ToJson(request.object);
  }
}

}  // namespace
}  // namespace inferd::cluster
