#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/component.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// KServe 0.10: the predictor's fields that name a format, older than `model`. Defaulting converts them to `model` in
// this order. `huggingface` came with 0.12.
inline constexpr std::array<std::string_view, 10> kLegacyFrameworks = {
    "sklearn", "tensorflow", "xgboost", "pytorch", "triton", "onnx", "pmml", "lightgbm", "paddle", "huggingface"};

// KServe 0.10: StorageSpec.
struct StorageSpec {
  std::optional<std::string> path;
  std::optional<std::string> schema_path;
  std::optional<std::string> storage_key;
  StringMap parameters;
};

// KServe 0.10: PredictorExtensionSpec, the fields that `model` and the legacy frameworks share.
struct ModelFields {
  std::optional<std::string> storage_uri;
  std::optional<StorageSpec> storage;
  std::optional<std::string> runtime_version;
  std::optional<std::string> protocol_version;  // v1, v2, grpc-v1, grpc-v2
  // Kubernetes: Container. All other fields of the model.
  manifest::Value container = manifest::Value::Map();
};

struct ModelFormat {
  std::string name;
  std::optional<std::string> version;

  // Returns "sklearn", or "sklearn:1" with a version.
  std::string ToString() const { return version.has_value() ? name + ":" + *version : name; }
};

// KServe 0.10: ModelSpec.
struct ModelSpec : ModelFields {
  ModelFormat format;
  std::optional<std::string> runtime;  // the runtime's name; selected by the format if absent
};

struct LegacyModel : ModelFields {
  std::string framework;
};

struct Predictor : Component {
  std::vector<LegacyModel> legacy;
  std::optional<ModelSpec> model;
};

struct Explainer : Component {
  struct Implementation {
    std::string kind;  // alibi, aix, art
    std::string type;
    std::optional<std::string> storage_uri;
    std::optional<StorageSpec> storage;
    std::optional<std::string> runtime_version;
    std::optional<std::string> protocol_version;
    StringMap config;
    manifest::Value container = manifest::Value::Map();
  };
  std::vector<Implementation> implementations;
};

// KServe 0.10: serving.kserve.io/v1beta1 InferenceService, with its document.
struct InferenceService {
  manifest::Value document;
  ObjectMeta metadata;
  Predictor predictor;
  std::optional<Component> transformer;
  std::optional<Explainer> explainer;
};

// Reads a service. A field that is missing or has a wrong type is added as a problem, and left out of the result.
InferenceService ReadInferenceService(manifest::Value document, manifest::Problems& problems);

}  // namespace inferd::model
