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

// KServe 0.10: serving.kserve.io/v1alpha1 InferenceGraph, with its document.
struct InferenceGraph {
  struct Step {
    std::string path;  // "spec.nodes.root.steps[0]"
    manifest::Position position{};
    std::string name;
    std::string node_name, service_name, service_url;  // the step's target: exactly one is set
    std::string data;                                  // "$request" or "$response"; the request if empty
    std::optional<int64_t> weight;                     // percent
    std::string condition;                             // in gjson's syntax (gjson::Path)
    std::string dependency;                            // Soft or Hard (KServe 0.12); Soft if empty
  };
  struct Node {
    std::string path;
    manifest::Position position{};
    std::string name;
    std::string router_type;  // Sequence, Splitter, Ensemble, Switch
    std::vector<Step> steps;
  };

  // KServe 0.15. In seconds.
  struct RouterTimeouts {
    std::optional<int64_t> server_read;     // to read a request's head, or to wait for progress of its body
    std::optional<int64_t> server_write;    // until the response is ready, if shorter than the graph's timeout
    std::optional<int64_t> server_idle;     // of an idle connection, between requests
    std::optional<int64_t> service_client;  // of each request that a step sends
  };

  manifest::Value document;
  ObjectMeta metadata;
  std::vector<Node> nodes;           // in the document's order
  std::optional<int64_t> timeout_s;  // of a request (KServe 0.12)
  RouterTimeouts router_timeouts;
  // Scaling of the graph's router pods in a cluster. Newer versions of KServe have more than resources and affinity.
  ComponentExtension scaling;
  manifest::Value resources;                          // of the router; the configuration's if null
  manifest::Value pod_spec = manifest::Value::Map();  // of the router: affinity, tolerations and the like

  const Node* FindNode(std::string_view name) const;
};

// Reads a graph. A field that is missing or has a wrong type is added as a problem, and left out of the result.
InferenceGraph ReadInferenceGraph(manifest::Value document, manifest::Problems& problems);

}  // namespace inferd::model
