#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/model/status/service_state.h"

namespace inferd::model {

// The state of an InferenceGraph, from which its status is made. A value.
struct GraphState {
  std::string url = {};  // the graph's URL; empty if it has none
  // `configurations`: the steps' services exist and the router runs. `routes`: requests reach the router.
  ObservedCondition configurations = {.status = "True"};
  ObservedCondition routes = {.status = "True"};
  int64_t generation = 1;  // of the graph that this state belongs to
  // Extra conditions by type. They do not affect Ready, and exist only while there is something to report.
  std::map<std::string, ObservedCondition> notices = {};

  bool operator==(const GraphState&) const = default;
};

// Combines both conditions: the first that is "False", else the first that is "Unknown", else "True".
const ObservedCondition& ReadyOf(const GraphState& state);

// An event about a graph, in KServe's words: it has become ready, or why it is not ready.
struct GraphEvent {
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string message;
};

// Returns the event for a state, or nullopt if there is nothing to report. `was` is the old status of the condition
// Ready. Empty if there was none.
std::optional<GraphEvent> EventOf(const std::string& name, const GraphState& state, std::string_view was);

// Returns the object's `metadata.generation`, or 1 if it has none.
int64_t GenerationOf(const manifest::Value& document);

// Returns the status of an InferenceGraph, without times (KServe 0.10: the status of its router's Knative Service). It
// has the conditions ConfigurationsReady, RoutesReady and Ready, and the URL while the graph is ready. All functions
// here are thread-safe.
manifest::Value MakeGraphStatus(const GraphState& state);

}  // namespace inferd::model
