#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// What has become of an InferenceGraph, as its status is made of it. A value.
struct GraphState {
  std::string url = {};  // where it is asked; empty: nowhere
  // Whether what its steps name is there and its router runs, and whether requests come to it.
  ObservedCondition configurations = {.status = "True"};
  ObservedCondition routes = {.status = "True"};
  int64_t generation = 1;  // of the graph that this is the state of
  // Conditions by type that do not decide about Ready, for as long as something is to be said.
  std::map<std::string, ObservedCondition> notices = {};

  bool operator==(const GraphState&) const = default;
};

// Both conditions in one: the first that is "False", else the first that is "Unknown", else "True".
const ObservedCondition& ReadyOf(const GraphState& state);

// What is told of a graph besides, in KServe's words: that it has become ready, or why it is not.
struct GraphEvent {
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string message;
};

// `was`: the condition Ready of its status before; empty: there was none. nullopt: nothing is told.
std::optional<GraphEvent> EventOf(const std::string& name, const GraphState& state, std::string_view was);

// The `metadata.generation` of an object; 1 where it has none.
int64_t GenerationOf(const manifest::Value& document);

// The status of an InferenceGraph (KServe 0.10: that of its router's Knative Service) without times: the conditions
// ConfigurationsReady, RoutesReady and Ready, and its URL while it is ready. Thread-safe, as are the others.
manifest::Value MakeGraphStatus(const GraphState& state);

}  // namespace inferd::model
