#include "kserve/model/pods/model_config.h"

#include "data/manifest/print.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

using manifest::Value;

bool IsMultiModel(const InferenceService& service) {
  const Predictor& predictor = service.predictor;
  if (predictor.model.has_value()) {
    return !predictor.model->storage_uri.has_value() && !predictor.model->storage.has_value();
  }
  return !predictor.containers().empty() &&
         FindEnvironment(predictor.containers().front(), "MULTI_MODEL_SERVER") == "true";
}

std::string ModelConfigName(const InferenceService& service) { return "modelconfig-" + service.metadata.name + "-0"; }

std::string ModelsJson(const InferenceService& service, std::span<const TrainedModel* const> models) {
  Value list = Value::List();
  for (const TrainedModel* model : models) {
    if (model->inference_service != service.metadata.name) continue;
    if (model->metadata.namespace_name != service.metadata.namespace_name) continue;
    list.items().push_back(Value::Map({{"modelName", Text(model->metadata.name)},
                                       {"modelSpec", Value::Map({{"storageUri", Text(model->storage_uri)},
                                                                 {"framework", Text(model->framework)},
                                                                 {"memory", Text(model->memory)}})}}));
  }
  return manifest::ToJson(list);
}

}  // namespace inferd::model
