#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/resolve/storage_uri.h"

// What an object of KServe's meets before a server stores it: KServe's mutating and validating webhooks. The local API
// and the webhooks of a cluster both ask here, so that they say the same.

namespace inferd::model {

// By what is decided, beside the object. Both functions are called on the caller's thread, when they are needed.
struct AdmissionContext {
  std::function<InferenceServiceConfig()> config;
  std::function<std::vector<ServingRuntime>()> runtimes;  // all that there are, also the object itself; for runtimes
  TrainedModelPlaces trained_models = TrainedModelPlaces::kRemote;
};

// The object with its defaults (ApplyDefaults), as far as it can be read. Thread-safe, as Admit is.
manifest::Value WithDefaults(manifest::Value object, const AdmissionContext& context);

struct Admitted {
  manifest::Value object;         // with its defaults
  manifest::Problems unreadable;  // fields of wrong types: Kubernetes calls such an object invalid
  std::string denial;             // what a webhook denies first, in KServe's words; empty: nothing
};

// `live`: what the object is to replace; null: nothing. What is unreadable is not looked at further. An object of
// another kind than KServe's has its metadata read.
Admitted Admit(manifest::Value object, const manifest::Value* live, const AdmissionContext& context);

}  // namespace inferd::model
