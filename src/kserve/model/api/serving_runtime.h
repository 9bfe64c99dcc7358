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

// KServe 0.10: serving.kserve.io/v1alpha1 ServingRuntime and ClusterServingRuntime, beside the document.
struct ServingRuntime {
  manifest::Value document;
  ObjectMeta metadata;
  bool cluster_wide = false;
  std::vector<SupportedModelFormat> formats;
  bool multi_model = false;
  bool disabled = false;
  std::vector<std::string> protocol_versions;  // empty: any
  std::vector<manifest::Value> containers;     // the first serves
  // Kubernetes: PodSpec, what a runtime may say of it (volumes, nodeSelector, affinity, tolerations, imagePullSecrets,
  // hostIPC).
  manifest::Value pod_spec = manifest::Value::Map();
  StringMap labels;
  StringMap annotations;
  std::string fault;  // why it cannot be used, as its reader says; empty: it can
};

// What has a wrong type or is missing is a problem, and left out of the result.
ServingRuntime ReadServingRuntime(manifest::Value document, bool cluster_wide, manifest::Problems& problems);

}  // namespace inferd::model
