#include "kserve/model/schema/definitions.h"

namespace inferd::model {

namespace {

using enum FieldType;
using enum FieldShape;

const Definition& LoggerDefinition() {
  static const Definition definition = {
      .name = "LoggerSpec",
      .text = "Where bodies of requests and responses are sent as CloudEvents.",
      .fields = {{"url", kText, "The server that has them."},
                 {"mode", kText, "all, request or response."},
                 {"metadataHeaders", kText, "", kList},
                 {"metadataAnnotations", kText, "", kList}},
  };
  return definition;
}

const Definition& BatcherDefinition() {
  static const Definition definition = {
      .name = "Batcher",
      .text = "Requests that come together are put together.",
      .fields = {{"maxBatchSize", kInteger, "Of how many instances a batch is sent; 32 by default."},
                 {"maxLatency", kInteger, "After how many milliseconds it is sent in any case; 5000 by default."},
                 {"timeout", kInteger, "Of a batch, in seconds; 60 by default."}},
  };
  return definition;
}

const std::vector<Field>& ExtensionFields() {
  static const std::vector<Field> fields = {
      {"minReplicas", kInteger, "The fewest replicas; 1 by default. 0: none without requests."},
      {"maxReplicas", kInteger, "The most replicas. 0: no limit."},
      {"scaleTarget", kInteger, "Of the metric, how much a replica is to have."},
      {"scaleMetric", kText, "concurrency or rps; cpu or memory for the class hpa."},
      {"containerConcurrency", kInteger, "How many requests a replica has at a time. 0: no limit."},
      {"timeout", kInteger, "Of a request, in seconds."},
      {"canaryTrafficPercent", kInteger, "Which share of the requests the newest revision gets."},
      {"logger", kObject, "Where bodies are logged.", kOne, &LoggerDefinition()},
      {"batcher", kObject, "How requests are put together.", kOne, &BatcherDefinition()},
      {"labels", kText, "Of the component's pods.", kMap},
      {"annotations", kText, "Of the component's pods.", kMap},
      {"deploymentStrategy", kAny, "How pods are replaced, in the mode RawDeployment."},
  };
  return fields;
}

const Definition& FormatDefinition() {
  static const Definition definition = {
      .name = "ModelFormat",
      .text = "The format of a model's files.",
      .fields = {{"name", kText, "onnx, tensorflow, sklearn, xgboost, lightgbm and others: those of the runtimes."},
                 {"version", kText, "Of the format, to the letter. Without it, any will do."}},
  };
  return definition;
}

const Definition& StorageDefinition() {
  static const Definition definition = {
      .name = "StorageSpec",
      .text = "Where a model is, in a store of the secret storage-config.",
      .fields = {{"path", kText, "Of the model in the store."},
                 {"schemaPath", kText},
                 {"key", kText, "Of the store in the secret."},
                 {"parameters", kText, "What goes before the secret's own: bucket, region and others.", kMap}},
  };
  return definition;
}

const std::vector<Field>& ImplementationFields() {
  static const std::vector<Field> fields = {
      {"storageUri", kText, "Where the model is: s3://, gs://, https://, pvc://, hdfs:// and others, or a path."},
      {"storage", kObject, "Where the model is, in place of storageUri.", kOne, &StorageDefinition()},
      {"runtimeVersion", kText, "The tag of the runtime's image."},
      {"protocolVersion", kText, "Which protocol it speaks: v1, v2, grpc-v1 or grpc-v2."},
  };
  return fields;
}

const Definition& ModelDefinition() {
  static const Definition definition = {
      .name = "ModelSpec",
      .text = "A model, and the container of the runtime that serves it.",
      .fields = JoinedFields({{{"modelFormat", kObject, "The format of its files.", kOne, &FormatDefinition()},
                               {"runtime", kText, "The runtime that serves it. Without it, one is selected."}},
                              ImplementationFields(),
                              ContainerFields()}),
  };
  return definition;
}

const Definition& FrameworkDefinition() {
  static const Definition definition = {
      .name = "PredictorExtensionSpec",
      .text = "A model of the framework that the field is called after: an older way to write `model`.",
      .fields = JoinedFields({ImplementationFields(), ContainerFields()}),
  };
  return definition;
}

const Definition& ExplainerImplementationDefinition() {
  static const Definition definition = {
      .name = "ExplainerExtensionSpec",
      .text = "An explainer of a library, as an image.",
      .fields =
          JoinedFields({{{"type", kText, "Which explainer of the library."}, {"config", kText, "Its settings.", kMap}},
                        ImplementationFields(),
                        ContainerFields()}),
  };
  return definition;
}

Field FrameworkField(std::string_view name) {
  return {name, kObject, "A model of this framework; `model` is the newer way to write it.", kOne,
          &FrameworkDefinition()};
}

const Definition& PredictorDefinition() {
  static const Definition definition = {
      .name = "PredictorSpec",
      .text = "What answers requests: a model with a runtime, or containers of its own.",
      .fields = JoinedFields({{{"model", kObject, "The model.", kOne, &ModelDefinition()},
                               FrameworkField("sklearn"),
                               FrameworkField("xgboost"),
                               FrameworkField("tensorflow"),
                               FrameworkField("pytorch"),
                               FrameworkField("triton"),
                               FrameworkField("onnx"),
                               FrameworkField("pmml"),
                               FrameworkField("lightgbm"),
                               FrameworkField("paddle"),
                               FrameworkField("huggingface")},
                              ExtensionFields(),
                              PodSpecFields()}),
  };
  return definition;
}

const Definition& TransformerDefinition() {
  static const Definition definition = {
      .name = "TransformerSpec",
      .text = "What stands before the predictor, and changes requests and answers: containers of its own.",
      .fields = JoinedFields({ExtensionFields(), PodSpecFields()}),
  };
  return definition;
}

const Definition& ExplainerDefinition() {
  const auto library = [](std::string_view name) {
    return Field{name, kObject, "An explainer of this library.", kOne, &ExplainerImplementationDefinition()};
  };
  static const Definition definition = {
      .name = "ExplainerSpec",
      .text = "What explains the predictor's answers: an explainer of a library, or containers of its own.",
      .fields = JoinedFields({{library("alibi"), library("aix"), library("art")}, ExtensionFields(), PodSpecFields()}),
  };
  return definition;
}

}  // namespace

const Definition& ServiceDefinition() {
  static const Definition definition = {
      .name = "InferenceServiceSpec",
      .text = "What a service is made of.",
      .fields = {{"predictor", kObject, "What answers requests.", kOne, &PredictorDefinition()},
                 {"transformer", kObject, "What stands before the predictor.", kOne, &TransformerDefinition()},
                 {"explainer", kObject, "What explains answers.", kOne, &ExplainerDefinition()}},
  };
  return definition;
}

}  // namespace inferd::model
