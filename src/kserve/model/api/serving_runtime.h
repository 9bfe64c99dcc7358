#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// KServe 0.10: SupportedModelFormat; `priority` is of KServe 0.11.
struct SupportedModelFormat {
  std::string name;
  std::optional<std::string> version;
  bool auto_select = false;
  std::optional<int64_t> priority;
};

// KServe 0.10: serving.kserve.io/v1alpha1 ServingRuntime and ClusterServingRuntime, with the document.
struct ServingRuntime {
  manifest::Value document;
  ObjectMeta metadata;
  bool cluster_wide = false;
  std::vector<SupportedModelFormat> formats;
  bool multi_model = false;
  bool disabled = false;
  std::vector<std::string> protocol_versions;  // any protocol if empty
  std::vector<manifest::Value> containers;     // the first one serves
  // Kubernetes: PodSpec, with the fields that a runtime may set (volumes, nodeSelector, affinity, tolerations,
  // imagePullSecrets, hostIPC).
  manifest::Value pod_spec = manifest::Value::Map();
  StringMap labels;
  StringMap annotations;
  std::string fault;  // why it is unusable, set by its reader; empty if usable
};

// Reads a runtime. A field that is missing or has a wrong type is added as a problem, and left out of the result.
ServingRuntime ReadServingRuntime(manifest::Value document, bool cluster_wide, manifest::Problems& problems);

}  // namespace inferd::model
