#pragma once

#include <cstdint>
#include <string>

#include "manifest/value.h"

namespace inferd::controlplane {

// What has become of an InferenceGraph, as its status is made of it. A value.
struct GraphState {
  std::string url = {};      // where it is asked; empty: nowhere
  std::string reason = {};   // of what is wrong with it, in one word; empty: nothing is
  std::string message = {};  // likewise, in a sentence
  int64_t generation = 1;    // of the graph that this is the state of

  bool operator==(const GraphState&) const = default;
};

// The status of an InferenceGraph (KServe 0.10: that of its router's Knative Service) without times: the conditions
// ConfigurationsReady, RoutesReady and Ready, and its URL while it is ready. Thread-safe.
manifest::Value MakeGraphStatus(const GraphState& state);

}  // namespace inferd::controlplane
