#include "kserve/model/status/graph_status.h"

#include <utility>
#include <vector>

#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"
#include "kserve/model/status/service_status.h"

namespace inferd::model {

namespace {

using manifest::Text;
using manifest::Value;

Value GraphCondition(std::string_view type, const ObservedCondition& observed) {
  Value condition = Value::Map();
  if (observed.status != "True") {
    if (!observed.message.empty()) condition.Set("message", Text(observed.message));
    if (!observed.reason.empty()) condition.Set("reason", Text(observed.reason));
  }
  condition.Set("status", Text(observed.status));
  condition.Set("type", Text(type));
  return condition;
}

}  // namespace

const ObservedCondition& ReadyOf(const GraphState& state) {
  for (const char* const status : {"False", "Unknown"}) {
    if (state.configurations.status == status) return state.configurations;
    if (state.routes.status == status) return state.routes;
  }
  return state.configurations;
}

std::optional<GraphEvent> EventOf(const std::string& name, const GraphState& state, std::string_view was) {
  const ObservedCondition& ready = ReadyOf(state);
  if (ready.status == "True" && was != "True") {
    return GraphEvent{"Normal", "InferenceGraphReady", "InferenceGraph [" + name + "] is Ready"};
  }
  if (ready.status == "False") return GraphEvent{"Warning", "InferenceGraphNotReady", ready.message};
  return std::nullopt;
}

int64_t GenerationOf(const Value& document) {
  return manifest::ParseInt64(manifest::TextAt(document, {"metadata", "generation"})).value_or(1);
}

Value MakeGraphStatus(const GraphState& state) {
  std::vector<Value> conditions;
  for (const auto& [type, notice] : state.notices) conditions.push_back(NoticeCondition(type, notice));
  conditions.push_back(GraphCondition("ConfigurationsReady", state.configurations));
  conditions.push_back(GraphCondition("Ready", ReadyOf(state)));
  conditions.push_back(GraphCondition("RoutesReady", state.routes));
  Value status = Value::Map({{"conditions", Value::List(std::move(conditions))}});
  status.Set("observedGeneration", Value::Int(state.generation));
  if (ReadyOf(state).status == "True") status.Set("url", Text(state.url));
  return status;
}

}  // namespace inferd::model
