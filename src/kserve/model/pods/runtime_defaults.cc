#include "kserve/model/pods/runtime_defaults.h"

#include <array>
#include <string>

#include "kserve/model/api/pod_spec.h"

namespace inferd::model {

namespace {

using manifest::Value;

struct ModelClass {
  std::string_view format;
  std::string_view name;
};
constexpr std::array<ModelClass, 4> kModelClasses = {{{"sklearn", "mlserver_sklearn.SKLearnModel"},
                                                      {"xgboost", "mlserver_xgboost.XGBoostModel"},
                                                      {"lightgbm", "mlserver_lightgbm.LightGBMModel"},
                                                      {"mlflow", "mlserver_mlflow.MLflowRuntime"}}};

void AppendEnvironment(ModelSpec& model, std::string_view name, std::string_view value) {
  if (!FindEnvironment(model.container, name).empty()) return;
  Value& variables = model.container.At("env");
  if (variables.is(manifest::Kind::kNull)) variables = Value::List();
  Value& variable = variables.items().emplace_back(Value::Map());
  variable.Set("name", Value::String(std::string(name)));
  variable.Set("value", Value::String(std::string(value)));
}

bool HasStorage(const ModelSpec& model) { return model.storage_uri.has_value() || model.storage.has_value(); }

void ApplyMlServer(std::string_view service_name, ModelSpec& model, StringMap& labels) {
  if (!model.protocol_version.has_value()) model.protocol_version = "v2";
  if (HasStorage(model)) {
    AppendEnvironment(model, "MLSERVER_MODEL_NAME", service_name);
    AppendEnvironment(model, "MLSERVER_MODEL_URI", "/mnt/models");
  } else {
    AppendEnvironment(model, "MLSERVER_LOAD_MODELS_AT_STARTUP", "false");
  }
  for (const ModelClass& known : kModelClasses) {
    if (known.format == model.format.name) labels.emplace("modelClass", known.name);
  }
}

void ApplyTorchServe(ModelSpec& model, StringMap& labels) {
  if (!model.protocol_version.has_value()) model.protocol_version = "v1";
  labels.emplace("serviceEnvelope", *model.protocol_version == "v2" ? "kservev2" : "kserve");
}

void ApplyTriton(ModelSpec& model) {
  if (!model.protocol_version.has_value()) model.protocol_version = "v2";
  if (HasStorage(model)) return;
  Value& arguments = model.container.At("args");
  if (arguments.is(manifest::Kind::kNull)) arguments = Value::List();
  arguments.items().push_back(Value::String("--model-control-mode=explicit"));
}

}  // namespace

void ApplyRuntimeDefaults(std::string_view runtime, std::string_view service_name, ModelSpec& model,
                          StringMap& labels) {
  if (runtime == "kserve-mlserver") ApplyMlServer(service_name, model, labels);
  if (runtime == "kserve-torchserve") ApplyTorchServe(model, labels);
  if (runtime == "kserve-tritonserver") ApplyTriton(model);
}

}  // namespace inferd::model
