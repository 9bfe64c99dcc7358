#include <algorithm>
#include <array>

#include "data/manifest/names.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/resolve/component_validation.h"
#include "kserve/model/resolve/document_problems.h"
#include "kserve/model/resolve/storage_uri.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::model {

namespace {

constexpr size_t kServiceNameBytesMax = 63;
constexpr std::array<std::string_view, 4> kProtocols = {"v1", "v2", "grpc-v1", "grpc-v2"};

bool IsServiceName(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && is_letter(name.front()) && name.back() != '-' && std::ranges::all_of(name, is_inner);
}

// Checks the names of a component's objects, which begin with the InferenceService's name. Kubernetes would refuse them
// only when they are created. In raw mode, the names are also values of a label.
void ValidateChildName(const InferenceService& service, std::string_view key, DocumentProblems& problems) {
  const std::string child = service.metadata.name + "-" + std::string(key) + "-default";
  const auto check = [&](const std::string& what, const std::string& text, const std::string& part) {
    if (text.size() <= kServiceNameBytesMax) return true;
    problems.Add({"metadata", "name"}, what + " '" + text + "' would have a " + part + " of " +
                                           std::to_string(text.size()) + " characters; Kubernetes takes " +
                                           std::to_string(kServiceNameBytesMax));
    return false;
  };
  if (!check("the Service", child, "name")) return;
  const std::string_view mode = service.metadata.annotation(kDeploymentModeAnnotation);
  if (ParseDeploymentMode(mode) == DeploymentMode::kRawDeployment) check("the label app", "isvc." + child, "value");
}

void ValidateName(const InferenceService& service, DocumentProblems& problems) {
  const std::string& name = service.metadata.name;
  if (!name.empty() && !IsServiceName(name)) {
    problems.Add({"metadata", "name"},
                 "The InferenceService \"" + name +
                     "\" is invalid: a InferenceService name must consist of lower case alphanumeric characters or "
                     "'-', and must start with alphabetical character. (e.g. \"my-name\" or \"abc-123\", regex used "
                     "for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  ValidateChildName(service, "predictor", problems);
  if (service.transformer.has_value()) ValidateChildName(service, "transformer", problems);
  if (service.explainer.has_value()) ValidateChildName(service, "explainer", problems);
}

void ValidateExactlyOne(std::string_view key, size_t implementations, std::string_view message,
                        DocumentProblems& problems) {
  if (implementations != 1) problems.Add({"spec", key}, std::string(message));
}

void ValidateModel(std::string_view key, const ModelFields& model, DocumentProblems& problems) {
  const auto add = [&](std::string_view field, std::string message) {
    if (!message.empty()) problems.Add({"spec", "predictor", key, field}, std::move(message));
  };
  if (model.storage_uri.has_value()) add("storageUri", CheckStorageUri(*model.storage_uri));
  if (model.storage.has_value()) {
    const auto type = model.storage->parameters.find("type");
    if (model.storage_uri.has_value()) {
      add("storageUri", CheckStorageSpecUri(*model.storage_uri));
      if (model.storage->path.has_value()) add("storage", "must provide only one of storageUri and storage.path");
    } else if (type != model.storage->parameters.end()) {
      add("storage", CheckStorageSpecType(type->second));
    }
  }
  const bool unknown =
      model.protocol_version.has_value() && std::ranges::find(kProtocols, *model.protocol_version) == kProtocols.end();
  if (unknown) {
    add("protocolVersion",
        "Invalid protocol " + *model.protocol_version + ". Must be one of [v1, v2, grpc-v1, grpc-v2]");
  }
}

// Validates the variables of a custom predictor, which replace the fields of a model.
void ValidateCustomPredictor(const Predictor& predictor, DocumentProblems& problems) {
  if (predictor.containers().empty()) return;
  const auto add = [&](std::string message) { problems.Add({"spec", "predictor", "containers"}, std::move(message)); };
  const manifest::Value& container = predictor.containers().front();
  const std::string_view protocol = FindEnvironment(container, "PROTOCOL");
  // KServe swaps the given protocol and the valid ones in this message.
  if (!protocol.empty() && protocol != "v1" && protocol != "v2") {
    add("Invalid protocol " + std::string(protocol) + ". Must be one of [v1, v2]");
  }
  // In KServe, the storage initializer would fail later.
  if (std::string fault = CheckStorageUri(FindEnvironment(container, "STORAGE_URI")); !fault.empty()) {
    add(std::move(fault));
  }
}

void ValidatePredictor(const InferenceService& service, DocumentProblems& problems) {
  const Predictor& predictor = service.predictor;
  const size_t implementations =
      predictor.legacy.size() + (predictor.model.has_value() ? 1 : 0) + (predictor.containers().empty() ? 0 : 1);
  ValidateExactlyOne("predictor", implementations,
                     "Exactly one of [SKLearn, XGBoost, Tensorflow, PyTorch, Triton, ONNX, PMML, LightGBM, Paddle, "
                     "Model, PodSpec] must be specified in PredictorSpec",
                     problems);
  for (const LegacyModel& model : predictor.legacy) ValidateModel(model.framework, model, problems);
  if (predictor.model.has_value()) ValidateModel("model", *predictor.model, problems);
  ValidateCustomPredictor(predictor, problems);
  ValidateExtension("predictor", predictor.extension, service.metadata, problems);
}

void ValidateTransformer(const InferenceService& service, DocumentProblems& problems) {
  if (!service.transformer.has_value()) return;
  ValidateExactlyOne("transformer", service.transformer->containers().empty() ? 0 : 1,
                     "Exactly one of [PodSpec] must be specified in TransformerSpec", problems);
  ValidateExtension("transformer", service.transformer->extension, service.metadata, problems);
}

void ValidateExplainer(const InferenceService& service, DocumentProblems& problems) {
  if (!service.explainer.has_value()) return;
  const Explainer& explainer = *service.explainer;
  ValidateExactlyOne("explainer", explainer.implementations.size() + (explainer.containers().empty() ? 0 : 1),
                     "Exactly one of [Alibi, AIX, ART, PodSpec] must be specified in ExplainerSpec", problems);
  for (const Explainer::Implementation& implementation : explainer.implementations) {
    if (!implementation.storage_uri.has_value()) continue;
    std::string fault = CheckStorageUri(*implementation.storage_uri);
    if (!fault.empty()) problems.Add({"spec", "explainer", implementation.kind, "storageUri"}, std::move(fault));
  }
  ValidateExtension("explainer", explainer.extension, service.metadata, problems);
}

bool HasPredictor(const InferenceService& service) {
  const manifest::Value* spec = service.document.Find("spec");
  const manifest::Value* predictor = spec == nullptr ? nullptr : spec->Find("predictor");
  return predictor != nullptr && predictor->is(manifest::Kind::kMap);
}

}  // namespace

manifest::Problems Validate(const InferenceService& service) {
  DocumentProblems problems(service.document);
  ValidateName(service, problems);
  ValidateAutoscalerAnnotations(service.metadata, problems);
  // A missing or malformed predictor was already reported when the service was read.
  if (HasPredictor(service)) ValidatePredictor(service, problems);
  ValidateTransformer(service, problems);
  ValidateExplainer(service, problems);
  return problems.Take();
}

}  // namespace inferd::model
