#include "kserve/model/schema/definitions.h"

namespace inferd::model {

namespace {

using enum FieldType;
using enum FieldShape;

const Definition& SupportedFormatDefinition() {
  static const Definition definition = {
      .name = "SupportedModelFormat",
      .text = "A format of models that a runtime serves.",
      .fields = {{"name", kText, "As models say it: onnx, sklearn and others."},
                 {"version", kText, "Of the format, to the letter."},
                 {"autoSelect", kBoolean, "Whether models get the runtime that name none."},
                 {"priority", kInteger, "Among runtimes of the same format; the greater one is selected."}},
  };
  return definition;
}

const Definition& StepDefinition() {
  static const Definition definition = {
      .name = "InferenceStep",
      .text = "What a node asks: one of nodeName, serviceName and serviceUrl.",
      .fields = {{"name", kText, "How the step is called."},
                 {"nodeName", kText, "Another node of the graph."},
                 {"serviceName", kText, "An InferenceService of the namespace."},
                 {"serviceUrl", kText, "Any server."},
                 {"data", kText, "What it is asked with: $request or $response."},
                 {"weight", kInteger, "Its share of the requests, of a Splitter."},
                 {"condition", kText, "A path of gjson that must be there."},
                 {"dependency", kText, "Soft or Hard: whether the graph goes on without it."}},
  };
  return definition;
}

const Definition& NodeDefinition() {
  static const Definition definition = {
      .name = "InferenceRouter",
      .text = "A node of a graph.",
      .fields = {{"routerType", kText, "Sequence, Splitter, Ensemble or Switch."},
                 {"steps", kObject, "What it asks.", kList, &StepDefinition()}},
  };
  return definition;
}

const Definition& TrainedModelSpecModel() {
  static const Definition definition = {
      .name = "TrainedModelModelSpec",
      .text = "A model of a service that has several.",
      .fields = {{"storageUri", kText, "Where it is."},
                 {"framework", kText, "Its format."},
                 {"memory", kAny, "What it needs; it cannot be changed."}},
  };
  return definition;
}

const Definition& RouterTimeoutsDefinition() {
  static const Definition definition = {
      .name = "InfereceGraphRouterTimeouts",  // KServe's spelling
      .text = "Of the router, in seconds.",
      .fields = {{"serverRead", kInteger, "Of a request's head, and of its body without progress."},
                 {"serverWrite", kInteger, "Until there is the answer."},
                 {"serverIdle", kInteger, "Of a connection between its requests."},
                 {"serviceClient", kInteger, "Of each step's request."}},
  };
  return definition;
}

}  // namespace

const Definition& RuntimeDefinition() {
  static const Definition definition = {
      .name = "ServingRuntimeSpec",
      .text = "What serves models of some formats.",
      .fields = {{"supportedModelFormats", kObject, "The formats.", kList, &SupportedFormatDefinition()},
                 {"multiModel", kBoolean, "Whether a replica serves several models."},
                 {"disabled", kBoolean, "Whether it is left out."},
                 {"protocolVersions", kText, "The protocols: v1, v2, grpc-v1, grpc-v2.", kList},
                 {"containers", kObject, "The first one serves.", kList, &ContainerDefinition()},
                 {"volumes", kAny, "", kList},
                 {"nodeSelector", kText, "", kMap},
                 {"affinity", kAny},
                 {"tolerations", kAny, "", kList},
                 {"labels", kText, "Of the pods.", kMap},
                 {"annotations", kText, "Of the pods.", kMap},
                 {"imagePullSecrets", kAny, "", kList},
                 {"grpcEndpoint", kText},
                 {"grpcDataEndpoint", kText},
                 {"httpDataEndpoint", kText},
                 {"replicas", kInteger},
                 {"storageHelper", kAny},
                 {"builtInAdapter", kAny},
                 {"hostIPC", kBoolean},
                 {"workerSpec", kAny},
                 {"initContainers", kObject, "", kList, &ContainerDefinition()},
                 {"serviceAccountName", kText}},
  };
  return definition;
}

const Definition& GraphDefinition() {
  static const Definition definition = {
      .name = "InferenceGraphSpec",
      .text = "Services that are asked one after the other, beside each other, or by choice.",
      .fields = {{"nodes", kObject, "By name; root is asked first.", kMap, &NodeDefinition()},
                 {"resources", kAny},
                 {"affinity", kAny},
                 {"timeout", kInteger, "Of a request, in seconds."},
                 {"minReplicas", kInteger},
                 {"maxReplicas", kInteger},
                 {"scaleTarget", kInteger},
                 {"scaleMetric", kText},
                 {"tolerations", kAny, "", kList},
                 {"nodeSelector", kText, "", kMap},
                 {"nodeName", kText},
                 {"serviceAccountName", kText},
                 {"routerTimeouts", kObject, "Of the router.", kOne, &RouterTimeoutsDefinition()}},
  };
  return definition;
}

const Definition& TrainedModelDefinition() {
  static const Definition definition = {
      .name = "TrainedModelSpec",
      .text = "A model, and the service that serves it.",
      .fields = {{"inferenceService", kText, "The service."},
                 {"model", kObject, "The model.", kOne, &TrainedModelSpecModel()}},
  };
  return definition;
}

}  // namespace inferd::model
