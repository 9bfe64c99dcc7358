#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/component.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// KServe 0.10: serving.kserve.io/v1alpha1 InferenceGraph, beside the document.
struct InferenceGraph {
  struct Step {
    std::string path;  // "spec.nodes.root.steps[0]"
    manifest::Position position{};
    std::string name;
    std::string node_name, service_name, service_url;  // where it goes: exactly one
    std::string data;                                  // "$request" or "$response"; empty: the request's
    std::optional<int64_t> weight;                     // percent
    std::string condition;                             // in gjson's syntax (gjson::Path)
    std::string dependency;                            // Soft, Hard (KServe 0.12); empty: Soft
  };
  struct Node {
    std::string path;
    manifest::Position position{};
    std::string name;
    std::string router_type;  // Sequence, Splitter, Ensemble, Switch
    std::vector<Step> steps;
  };

  // KServe 0.15, in seconds.
  struct RouterTimeouts {
    std::optional<int64_t> server_read;     // of a request's head, and of its body without progress
    std::optional<int64_t> server_write;    // until there is the answer, if shorter than the graph's
    std::optional<int64_t> server_idle;     // of a connection between its requests
    std::optional<int64_t> service_client;  // of each step's request
  };

  manifest::Value document;
  ObjectMeta metadata;
  std::vector<Node> nodes;           // as they were written
  std::optional<int64_t> timeout_s;  // of a request (KServe 0.12)
  RouterTimeouts router_timeouts;
  // Of the pods of its router in a cluster. Newer versions of KServe have more than resources and affinity.
  ComponentExtension scaling;
  manifest::Value resources;                          // null: as the configuration has it
  manifest::Value pod_spec = manifest::Value::Map();  // affinity, tolerations and the like

  const Node* FindNode(std::string_view name) const;
};

// What has a wrong type or is missing is a problem, and left out of the result.
InferenceGraph ReadInferenceGraph(manifest::Value document, manifest::Problems& problems);

}  // namespace inferd::model
