#include "kserve/cluster/admission/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/base64.h"
#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "kserve/apiserver/patch/json_patch.h"
#include "kserve/cluster/admission/admission_review.h"
#include "kserve/model/objects_fixture.h"

namespace inferd::cluster {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kMutateService = "/mutate-serving-kserve-io-v1beta1-inferenceservice";
constexpr std::string_view kValidateService = "/validate-serving-kserve-io-v1beta1-inferenceservice";
constexpr std::string_view kValidateModel = "/validate-serving-kserve-io-v1alpha1-trainedmodel";
constexpr std::string_view kValidateGraph = "/validate-serving-kserve-io-v1alpha1-inferencegraph";
constexpr std::string_view kValidateRuntime = "/validate-serving-kserve-io-v1alpha1-servingruntime";
constexpr std::string_view kValidateClusterRuntime = "/validate-serving-kserve-io-v1alpha1-clusterservingruntime";

Value FromYaml(std::string_view text) {
  auto documents = manifest::ReadYaml(text, "test");
  EXPECT_TRUE(documents.has_value() && documents->size() == 1) << text;
  return documents.has_value() ? std::move(documents->front()) : Value();
}

// Returns the kind for a webhook's path, as a review names it.
std::string KindOf(std::string_view path) {
  for (const auto& [end, kind] :
       {std::pair("v1beta1-inferenceservice", "v1beta1, kind: InferenceService"),
        std::pair("v1alpha1-trainedmodel", "v1alpha1, kind: TrainedModel"),
        std::pair("v1alpha1-inferencegraph", "v1alpha1, kind: InferenceGraph"),
        std::pair("v1alpha1-servingruntime", "v1alpha1, kind: ServingRuntime"),
        std::pair("v1alpha1-clusterservingruntime", "v1alpha1, kind: ClusterServingRuntime")}) {
    if (path.ends_with(end)) return std::string("{group: serving.kserve.io, version: ") + kind + "}";
  }
  return "{}";
}

// Returns an object of the path's kind, named "x", with these members.
std::string ObjectOf(std::string_view path, std::string_view members) {
  const Value kind = FromYaml(KindOf(path));
  return "{apiVersion: serving.kserve.io/" + kind.Find("version")->text() + ", kind: " + kind.Find("kind")->text() +
         ", " + std::string(members) + "}";
}

struct Asked {
  std::string operation = "CREATE";
  std::string old_object = "null";
  std::string more = {};  // ", subResource: status"
};

class ReviewTest : public ::testing::Test {
 protected:
  // Returns the `response` to a review of an object in YAML.
  Value Ask(std::string_view path, std::string_view object, const Asked& asked = {}) {
    const Value review = FromYaml(
        "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u1, kind: " + KindOf(path) +
        (path == kValidateClusterRuntime ? "" : ", namespace: models") + ", name: x, operation: " + asked.operation +
        asked.more + ", object: " + std::string(object) + ", oldObject: " + asked.old_object + "}}");
    return ResponseTo(path, manifest::ToJson(review));
  }

  Value ResponseTo(std::string_view path, std::string_view body) {
    const ReviewAnswer answer = Review(path, body, context_);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const Value read = FromYaml(answer.body);
    EXPECT_EQ(read.Find("apiVersion")->text(), "admission.k8s.io/v1");
    EXPECT_EQ(read.Find("kind")->text(), "AdmissionReview");
    const Value* const response = read.Find("response");
    return response == nullptr ? Value::Map() : *response;
  }

  // Returns "allowed", or the code and the message.
  static std::string VerdictOf(const Value& response) {
    EXPECT_EQ(response.Find("uid")->text(), "u1");
    if (response.Find("allowed")->boolean()) {
      EXPECT_EQ(response.Find("status"), nullptr);
      return "allowed";
    }
    const Value& status = *response.Find("status");
    return status.Find("code")->text() + ": " + status.Find("message")->text();
  }

  // Applies the response's patch to the object.
  static Value Patched(std::string_view object, const Value& response) {
    const Value* const patch = response.Find("patch");
    if (patch == nullptr) return FromYaml(object);
    EXPECT_EQ(response.Find("patchType")->text(), "JSONPatch");
    const auto patched = apiserver::JsonPatch(FromYaml(object), FromYaml(base::DecodedBase64(patch->text())));
    EXPECT_TRUE(patched.has_value());
    return patched.value_or(Value());
  }

  model::InferenceServiceConfig config_;
  std::vector<model::ServingRuntime> runtimes_;
  ReviewContext context_{.objects = {.config = [this] { return config_; }, .runtimes = [this] { return runtimes_; }},
                         .pods = {}};
};

struct Verdict {
  std::string_view path;
  std::string members;  // of the object
  std::string verdict;  // a part of it
};

TEST_F(ReviewTest, ObjectsAreRefusedInTheWordsOfTheLocalApi) {
  const std::string model = "metadata: {name: x}, spec: {inferenceService: s, model: {framework: f, storageUri: ";
  for (const Verdict& row : std::vector<Verdict>{
           {kValidateService, "metadata: {name: x}, spec: {predictor: {sklearn: {storageUri: gs://m}}}", "allowed"},
           {kValidateService, "metadata: {name: X}, spec: {predictor: {sklearn: {storageUri: gs://m}}}",
            "422: metadata.name: a lowercase RFC 1123 subdomain"},
           {kValidateService, "metadata: {name: x.y}, spec: {predictor: {sklearn: {storageUri: gs://m}}}",
            "403: The InferenceService \"x.y\" is invalid: a InferenceService name must consist of lower case"},
           {kValidateService, "metadata: {name: " + std::string(253, 'x') + "}, spec: {predictor: {sklearn: {}}}",
            "403: "},
           {kValidateService, "metadata: {name: " + std::string(254, 'x') + "}, spec: {predictor: {sklearn: {}}}",
            "422: metadata.name: "},
           {kValidateService, "metadata: {name: x}, spec: {predictor: {minReplicas: 3, maxReplicas: 2, sklearn: {}}}",
            "403: MinReplicas cannot be greater than MaxReplicas."},
           {kValidateService, "metadata: {name: x}, spec: {predictor: {sklearn: {storageUri: ftp://m}}}",
            "403: storageUri, must be one of: [gs://, s3://, pvc://"},
           {kValidateService, "metadata: {name: x}, spec: {predictor: {}}",
            "403: Exactly one of [SKLearn, XGBoost, Tensorflow, PyTorch, Triton, ONNX, PMML, LightGBM, Paddle, Model, "
            "PodSpec] must be specified in PredictorSpec"},
           {kValidateModel, model + "s3://m, memory: 1Gi}}", "allowed"},
           {kValidateModel, model + "pvc://m, memory: 1Gi}}",
            "403: the Trained Model \"x\" storageUri field is invalid. The storage uri must start with one of the "
            "prefixes: s3://, gs://, https://, http://. (the storage uri given is \"pvc://m\")"},
           {kValidateGraph,
            "metadata: {name: x}, spec: {nodes: {root: {routerType: Sequence, steps: "
            "[{serviceName: s}]}}}",
            "allowed"},
           {kValidateGraph,
            "metadata: {name: x}, spec: {nodes: {a: {routerType: Sequence, steps: "
            "[{serviceName: s}]}}}",
            "403: root node not found, InferenceGraph needs a node with name 'root' as the root node of the graph"},
           {kValidateRuntime, "metadata: {name: x}, spec: {containers: [{name: c, image: i}]}", "allowed"},
           {kValidateRuntime,
            "metadata: {name: x}, spec: {containers: [{name: c, image: i}], supportedModelFormats: [{name: f, "
            "autoSelect: true, priority: 1}, {name: f, version: '2', autoSelect: true, priority: 2}]}",
            "403: different priorities assigned for the model format f under the servingruntime x"},
       }) {
    EXPECT_THAT(VerdictOf(Ask(row.path, ObjectOf(row.path, row.members))), HasSubstr(row.verdict)) << row.members;
  }
}

TEST_F(ReviewTest, ADenialIsItsOwnReasonAsWithKServe) {
  const Value response = Ask(kValidateService, ObjectOf(kValidateService,
                                                        "metadata: {name: x}, spec: {predictor: {minReplicas: -1, "
                                                        "sklearn: {}}}"));
  EXPECT_EQ(response.Find("status")->Find("reason")->text(), "MinReplicas cannot be less than 0.");
  EXPECT_EQ(response.Find("status")->Find("message")->text(), "MinReplicas cannot be less than 0.");
}

// Sets each field of a service to a value of a wrong type.
TEST_F(ReviewTest, WrongTypesAreNamedByTheirField) {
  for (const auto& [path, value] : std::vector<std::pair<std::string, std::string>>{
           {"metadata.labels", "[]"},
           {"metadata.labels.a", "1"},
           {"metadata.annotations", "x"},
           {"metadata.annotations.a", "{}"},
           {"metadata.name", "7"},
           {"spec", "[]"},
           {"spec.predictor", "x"},
           {"spec.predictor.minReplicas", "many"},
           {"spec.predictor.maxReplicas", "1.5"},
           {"spec.predictor.scaleTarget", "{}"},
           {"spec.predictor.containerConcurrency", "'1'"},
           {"spec.predictor.timeout", "99999999999999999999"},
           {"spec.predictor.canaryTrafficPercent", "true"},
           {"spec.predictor.logger", "x"},
           {"spec.predictor.logger.url", "1"},
           {"spec.predictor.batcher.maxBatchSize", "x"},
           {"spec.predictor.model", "[]"},
           {"spec.predictor.model.modelFormat", "onnx"},
           {"spec.predictor.model.modelFormat.version", "1"},
           {"spec.predictor.model.storageUri", "[x]"},
           {"spec.predictor.model.storage.parameters", "x"},
           {"spec.predictor.model.env", "{}"},
           {"spec.predictor.containers", "{}"},
           {"spec.transformer", "[]"},
           {"spec.explainer", "1"},
       }) {
    // Merges "a.b.c", as {a: {b: {c: value}}}, into the required fields.
    Value object = FromYaml(ObjectOf(kValidateService,
                                     "metadata: {name: x}, spec: {predictor: {model: {modelFormat: "
                                     "{name: onnx}, storageUri: s3://m}}}"));
    Value* at = &object;
    for (size_t begin = 0; begin != std::string::npos;) {
      const size_t end = path.find('.', begin);
      at = &at->At(path.substr(begin, end == std::string::npos ? end : end - begin));
      if (at->is(manifest::Kind::kNull) && end != std::string::npos) *at = Value::Map();
      begin = end == std::string::npos ? end : end + 1;
    }
    *at = FromYaml("[" + value + "]").items().front();
    const std::string text = manifest::ToJson(object);
    EXPECT_THAT(VerdictOf(Ask(kValidateService, text)), HasSubstr("422: " + path)) << text;
    EXPECT_EQ(VerdictOf(Ask(kMutateService, text)), "allowed") << "the validating webhook says it";
  }
}

TEST_F(ReviewTest, ManyProblemsAreCounted) {
  std::string labels;
  for (int i = 0; i < 100; ++i) labels += (i == 0 ? "" : ", ") + std::string("l") + std::to_string(i) + ": " + "1";
  const std::string verdict =
      VerdictOf(Ask(kValidateService, ObjectOf(kValidateService, "metadata: {name: x, labels: {" + labels +
                                                                     "}}, spec: {predictor: "
                                                                     "{sklearn: {}}}")));
  EXPECT_THAT(verdict, HasSubstr("metadata.labels.l9: "));
  EXPECT_THAT(verdict, HasSubstr(", and 90 more"));
}

TEST_F(ReviewTest, DefaultsAreAPatch) {
  config_.default_mode = model::DeploymentMode::kRawDeployment;
  const std::string object =
      ObjectOf(kMutateService,
               "metadata: {name: x}, spec: {predictor: {onnx: {storageUri: gs://m}}, transformer: {containers: "
               "[{image: t, name: other}]}}");
  const Value response = Ask(kMutateService, object);
  EXPECT_EQ(VerdictOf(response), "allowed");
  EXPECT_EQ(Patched(object, response),
            FromYaml(ObjectOf(kMutateService,
                              "metadata: {name: x, annotations: {serving.kserve.io/deploymentMode: RawDeployment}}, "
                              "spec: {predictor: {model: {modelFormat: {name: onnx}, protocolVersion: v2, storageUri: "
                              "gs://m}}, transformer: {containers: [{image: t, name: kserve-container, resources: "
                              "{limits: {cpu: '1', memory: 2Gi}, requests: {cpu: '1', memory: 2Gi}}}]}}")));
}

TEST_F(ReviewTest, WhatHasItsDefaultsIsNotPatched) {
  const std::string object = ObjectOf(kMutateService,
                                      "metadata: {name: x}, spec: {predictor: {model: {modelFormat: "
                                      "{name: onnx}, storageUri: s3://m}}}");
  EXPECT_EQ(Ask(kMutateService, object).Find("patch"), nullptr);
  const std::string unnamed =
      ObjectOf(kMutateService, "metadata: {generateName: x-}, spec: {predictor: {sklearn: {}}}");
  EXPECT_NE(Ask(kMutateService, unnamed).Find("patch"), nullptr) << "that it has no name yet is no matter";
}

TEST_F(ReviewTest, TheMemoryOfAModelStays) {
  const auto model = [](std::string_view memory) {
    return ObjectOf(kValidateModel,
                    "metadata: {name: x}, spec: {inferenceService: s, model: {framework: f, storageUri: "
                    "s3://m, memory: " +
                        std::string(memory) + "}}");
  };
  EXPECT_EQ(VerdictOf(Ask(kValidateModel, model("1Gi"), {.operation = "UPDATE", .old_object = model("1Gi")})),
            "allowed");
  EXPECT_EQ(VerdictOf(Ask(kValidateModel, model("2Gi"), {.operation = "UPDATE", .old_object = model("1Gi")})),
            "403: the Trained Model \"x\" memory field is immutable. The memory was \"1Gi\" but it is updated to "
            "\"2Gi\"");
}

TEST_F(ReviewTest, RuntimesAreComparedWithTheOthers) {
  const auto runtime = [](std::string_view name) {
    return "apiVersion: serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime\nmetadata: {name: " +
           std::string(name) + "}\nspec:\n  supportedModelFormats: [{name: f, autoSelect: true, priority: 1}]\n" +
           "  containers: [{name: c, image: i}]\n";
  };
  runtimes_.push_back(model::ParseAs<model::ServingRuntime>(runtime("other")));
  EXPECT_THAT(VerdictOf(Ask(kValidateClusterRuntime, manifest::ToJson(FromYaml(runtime("x"))))),
              HasSubstr("403: same priority assigned for the model format f in the servingruntimes other and x"));
  EXPECT_EQ(VerdictOf(Ask(kValidateClusterRuntime, manifest::ToJson(FromYaml(runtime("other"))))), "allowed");
}

TEST_F(ReviewTest, NothingStandsInTheWayOfADeletion) {
  const std::string broken = ObjectOf(kValidateService, "metadata: {name: x, deletionTimestamp: now}, spec: 7");
  EXPECT_EQ(VerdictOf(Ask(kValidateService, broken, {.operation = "UPDATE", .old_object = broken})), "allowed");
  EXPECT_EQ(VerdictOf(Ask(kValidateService, "null", {.operation = "DELETE", .old_object = broken})), "allowed");
  EXPECT_EQ(VerdictOf(Ask(kValidateService, ObjectOf(kValidateService, "spec: 7"),
                          {.operation = "UPDATE", .old_object = "{}", .more = ", subResource: status"})),
            "allowed");
}

TEST_F(ReviewTest, FieldsThatThereAreNotAreWarnedOf) {
  const Value response = Ask(kValidateService, ObjectOf(kValidateService,
                                                        "metadata: {name: x}, spec: {predictor: {model: {modelFormat: "
                                                        "{name: onnx}, storageURI: s3://m}}}"));
  EXPECT_EQ(VerdictOf(response), "allowed");
  ASSERT_THAT(response.Find("warnings")->items(), SizeIs(1));
  EXPECT_EQ(response.Find("warnings")->items()[0].text(), "unknown field \"spec.predictor.model.storageURI\"");
}

TEST_F(ReviewTest, ReviewsThatAreNoneAreAnsweredByNameOfTheirField) {
  const std::string object = ObjectOf(kValidateService, "metadata: {name: x}, spec: {predictor: {sklearn: {}}}");
  const std::string kind = "kind: " + KindOf(kValidateService);
  for (const auto& [request, fault] : std::vector<std::pair<std::string, std::string>>{
           {"{uid: u1, operation: CREATE, object: " + object + "}", "request.kind: is required"},
           {"{uid: u1, kind: x, operation: CREATE, object: " + object + "}",
            "request.kind: must be a map, not a string"},
           {"{uid: u1, kind: {group: 1}, operation: CREATE, object: " + object + "}",
            "request.kind.group: must be a string"},
           {"{uid: u1, " + kind + ", object: " + object + "}", "request.operation: must be CREATE, UPDATE"},
           {"{uid: u1, " + kind + ", operation: [], object: " + object + "}", "request.operation: must be a string"},
           {"{uid: u1, " + kind + ", operation: PATCH, object: " + object + "}", "request.operation: must be CREATE"},
           {"{uid: u1, " + kind + ", operation: CREATE}", "request.object: is required"},
           {"{uid: u1, " + kind + ", operation: CREATE, object: []}", "request.object: must be a map, not a list"},
           {"{uid: u1, " + kind + ", operation: UPDATE, object: " + object + "}", "request.oldObject: is required"},
           {"{uid: u1, " + kind + ", operation: CREATE, namespace: 1, object: " + object + "}",
            "request.namespace: must be a string, not a number"},
           {"{uid: u1, kind: {group: serving.kserve.io, version: v1beta1, kind: Other}, operation: CREATE, object: " +
                object + "}",
            "request.kind: must be serving.kserve.io/v1beta1 InferenceService, not serving.kserve.io/v1beta1 Other"},
           {"{uid: u1, " + kind +
                ", operation: CREATE, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}",
            "request.object: must be serving.kserve.io/v1beta1 InferenceService"},
       }) {
    const Value review = FromYaml("{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: " + request + "}");
    EXPECT_THAT(VerdictOf(ResponseTo(kValidateService, manifest::ToJson(review))), HasSubstr("400: " + fault));
  }
}

TEST_F(ReviewTest, WithoutAUidTheAnswerIsAStatusOfTheApi) {
  const std::string deep = std::string(80, '[') + std::string(80, ']');
  for (const auto& [body, fault] : std::vector<std::pair<std::string, std::string>>{
           {"", "review: is not one document"},
           {"{", "review:1:2"},
           {"[]", "must be a map, not a list"},
           {"{} {}", "review: is not one document"},
           {"{}", "kind: must be AdmissionReview"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{"uid":7}})",
            "apiVersion: must be admission.k8s.io/v1"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})", "request: is required"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":[]})", "request: must be a map"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":7}})",
            "request.uid: must be a string, not a number"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}})",
            "request.uid: is required"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":""}})",
            "request.uid: is required"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":null}})",
            "request.uid: is required"},
           {R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":")" +
                std::string(300, 'u') + R"("}})",
            "request.uid: must have at most 253 bytes"},
           {R"({"request":{"object":{"spec":)" + deep + "}}}", "request.object.spec"},
           {std::string(kReviewBytesMax + 1, ' '), "review"},
       }) {
    const ReviewAnswer answer = Review(kValidateService, body, context_);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 200);
    const Value status = FromYaml(answer.body);
    EXPECT_EQ(status.Find("kind")->text(), "Status");
    EXPECT_EQ(status.Find("code")->text(), "400");
    EXPECT_THAT(status.Find("message")->text(), HasSubstr(fault));
  }
}

TEST_F(ReviewTest, PathsThatThereAreNotAreNotFound) {
  for (const std::string_view path : {"", "/", "/mutate", "/validate-serving-kserve-io-v1beta1-inferenceservice/"}) {
    EXPECT_EQ(Review(path, "{}", context_).status, 404);
  }
  for (const std::string_view path : WebhookPaths()) EXPECT_EQ(Review(path, "{}", context_).status, 400) << path;
}

TEST_F(ReviewTest, LongMessagesAreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 3'000; ++i) name += "ä";
  const std::string json = ToJson(Denial("u", 403, "r", "x" + name));
  const auto read = manifest::ReadJson(json, "answer");
  ASSERT_TRUE(read.has_value()) << "it is no UTF-8";
  const std::string& message = read->front().Find("response")->Find("status")->Find("message")->text();
  EXPECT_EQ(message.size(), 4095U);
}

}  // namespace
}  // namespace inferd::cluster
