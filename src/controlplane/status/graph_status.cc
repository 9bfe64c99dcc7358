#include "controlplane/status/graph_status.h"

#include <string_view>
#include <utility>
#include <vector>

namespace inferd::controlplane {

namespace {

using manifest::Value;

Value GraphCondition(std::string_view type, const GraphState& state, bool holds) {
  Value condition = Value::Map();
  if (!holds) {
    condition.Set("message", Value::String(state.message));
    condition.Set("reason", Value::String(state.reason));
  }
  condition.Set("status", Value::String(holds ? "True" : "False"));
  condition.Set("type", Value::String(std::string(type)));
  return condition;
}

}  // namespace

Value MakeGraphStatus(const GraphState& state) {
  const bool sound = state.reason.empty();
  std::vector<Value> conditions;
  conditions.push_back(GraphCondition("ConfigurationsReady", state, sound));
  conditions.push_back(GraphCondition("Ready", state, sound));
  // What is wrong with its steps does not take its hosts away.
  conditions.push_back(GraphCondition("RoutesReady", state, sound || !state.url.empty()));
  Value status = Value::Map({{"conditions", Value::List(std::move(conditions))}});
  status.Set("observedGeneration", Value::Int(state.generation));
  if (sound) status.Set("url", Value::String(state.url));
  return status;
}

}  // namespace inferd::controlplane
