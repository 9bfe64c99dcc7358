#include "kserve/model/status/trained_model_status.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "data/manifest/quantity.h"
#include "data/manifest/value_path.h"

namespace inferd::model {

namespace {

using manifest::Text;
using manifest::Value;

Value Condition(std::string_view type, std::string_view status, std::string_view reason = {},
                std::string_view message = {}) {
  Value condition = Value::Map({{"type", Text(type)}, {"status", Text(status)}});
  if (!reason.empty()) condition.Set("reason", Text(reason));
  if (!message.empty()) condition.Set("message", Text(message));
  return condition;
}

const Value* FindCondition(const Value* status, std::string_view type) {
  const Value* const conditions = status == nullptr ? nullptr : status->Find("conditions");
  if (conditions == nullptr) return nullptr;
  const auto found = std::ranges::find_if(conditions->items(), [&](const Value& condition) {
    const Value* const name = condition.Find("type");
    return name != nullptr && name->text() == type;
  });
  return found == conditions->items().end() ? nullptr : &*found;
}

// Returns the model's URL, made from its service's "http://HOST/v1/models/SERVICE:predict".
std::string UrlOf(const std::string& service_url, const std::string& model) {
  const size_t models = service_url.find("/models/");
  if (models == std::string::npos) return {};
  return service_url.substr(0, models) + "/models/" + model + (service_url.ends_with("/infer") ? "/infer" : ":predict");
}

}  // namespace

std::optional<int64_t> MemoryLimitOf(const Value& pod_spec) {
  const Value* value = pod_spec.Find("containers");
  if (value == nullptr || value->items().empty()) return std::nullopt;
  value = manifest::FieldAt(value->items().front(), {"resources", "limits", "memory"});
  if (value == nullptr) return std::nullopt;
  const auto limit = manifest::ParseQuantity(value->text());
  return limit.has_value() ? std::optional(limit->value()) : std::nullopt;
}

std::vector<bool> FitInMemory(std::span<const TrainedModel* const> models, std::optional<int64_t> limit) {
  std::vector<bool> fit;
  int64_t used = 0;
  for (const TrainedModel* const model : models) {
    const auto memory = manifest::ParseQuantity(model->memory);
    const int64_t bytes = memory.has_value() && model->fault.empty() ? memory->value() : 0;
    fit.push_back(!limit.has_value() || bytes <= *limit - used);
    if (fit.back()) used += bytes;
  }
  return fit;
}

bool IsReady(const ServiceState& state) {
  return !state.components.empty() &&
         std::ranges::all_of(state.components, [](const ComponentState& each) { return !each.traffic.empty(); });
}

Value MakeTrainedModelStatus(const TrainedModel& model, const TrainedModelState& state) {
  const std::string cannot = "Inference Service \"" + model.inference_service + "\" %. Trained Model \"" +
                             model.metadata.name + "\" cannot deploy";
  const auto because = [&](std::string_view why) {
    std::string text = cannot;
    return text.replace(text.find('%'), 1, why);
  };
  std::vector<Value> conditions;
  const bool service_ready = state.there && state.ready;
  conditions.push_back(service_ready ? Condition("InferenceServiceReady", "True")
                                     : Condition("InferenceServiceReady", "False", "InferenceServiceNotReady",
                                                 because(state.there ? "is not ready" : "does not exist")));
  conditions.push_back(state.takes_models ? Condition("IsMMSPredictor", "True")
                                          : Condition("IsMMSPredictor", "False", "IsNotMMSPredictor",
                                                      because("predictor is not configured for multi-model serving")));
  conditions.push_back(state.fits ? Condition("MemoryResourceAvailable", "True")
                                  : Condition("MemoryResourceAvailable", "False", "MemoryResourceNotAvailable",
                                              because("memory resources are not available")));
  Value ready = Condition("Ready", "True");
  for (const Value& condition : conditions) {
    if (ready.Find("status")->text() != "True" || condition.Find("status")->text() == "True") continue;
    ready = condition;
    ready.Set("type", Text("Ready"));
  }
  if (!model.fault.empty()) ready = Condition("Ready", "False", "InvalidModelSpec", model.fault);
  if (ready.Find("status")->text() == "True" && !state.loaded) {
    ready = state.failure.empty() ? Condition("Ready", "Unknown", "ModelLoading")
                                  : Condition("Ready", "False", "ModelLoadFailed", state.failure);
  }
  conditions.push_back(std::move(ready));
  Value status = Value::Map({{"conditions", Value::List(std::move(conditions))}});
  if (const std::string url = UrlOf(state.url, model.metadata.name); !url.empty() && service_ready) {
    status.Set("url", Text(url));
    status.Set("address", Value::Map({{"url", Text(url)}}));
  }
  return status;
}

Value WithTimes(Value status, const Value* before, const std::string& now) {
  for (Value& condition : status.At("conditions").items()) {
    const Value* const old = FindCondition(before, condition.Find("type")->text());
    const Value* const time = old == nullptr ? nullptr : old->Find("lastTransitionTime");
    const Value* const old_status = old == nullptr ? nullptr : old->Find("status");
    const bool same = time != nullptr && old_status != nullptr && *old_status == *condition.Find("status");
    condition.Set("lastTransitionTime", same ? *time : Text(now));
  }
  return status;
}

}  // namespace inferd::model
