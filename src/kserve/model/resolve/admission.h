#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/resolve/storage_uri.h"

// Admission of KServe's objects before a server stores them: the decisions of KServe's mutating and validating
// webhooks. The local API and the webhooks of a cluster both call these functions, so their answers are the same.

namespace inferd::model {

// The inputs of an admission besides the object. Both functions are called when needed, on the caller's thread.
struct AdmissionContext {
  std::function<InferenceServiceConfig()> config;
  std::function<std::vector<ServingRuntime>()> runtimes;  // all runtimes, maybe with the object; to validate runtimes
  TrainedModelPlaces trained_models = TrainedModelPlaces::kRemote;
};

// Returns the object with its defaults (ApplyDefaults), as far as it can be read. Thread-safe, as is Admit.
manifest::Value WithDefaults(manifest::Value object, const AdmissionContext& context);

struct Admitted {
  manifest::Value object;         // with its defaults
  manifest::Problems unreadable;  // fields of wrong types; Kubernetes calls such an object invalid
  std::string denial;             // the first denial of a webhook, in KServe's words; empty if admitted
};

// Admits an object. `live` is the object to be replaced, or null. An unreadable object is not checked further. An
// object of a kind that KServe does not define only has its metadata read.
Admitted Admit(manifest::Value object, const manifest::Value* live, const AdmissionContext& context);

}  // namespace inferd::model
