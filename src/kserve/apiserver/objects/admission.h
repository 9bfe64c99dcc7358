#pragma once

#include <functional>
#include <string>

#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/store/object_store.h"
#include "kserve/model/resolve/admission.h"

namespace inferd::apiserver {

// What happens to an object before it is stored: KServe's mutating and validating webhooks, and what the API server
// itself completes. Thread-safe; the store outlives it.
class Admission final {
 public:
  // `config`: the configuration as it is now; from any thread.
  Admission(const apiserver::ObjectStore& store, std::function<model::InferenceServiceConfig()> config)
      : store_(store), config_(std::move(config)) {}

  // The object with its defaults. `live`: what it is to replace; null: nothing. Errors: a field of a wrong type
  // (Invalid), and what a webhook denies, in KServe's words.
  ApiResult<manifest::Value> Admit(const ResourceType& type, manifest::Value object, const manifest::Value* live) const;

  // The object with its defaults alone, as far as it can be read.
  manifest::Value WithDefaults(const ResourceType& type, manifest::Value object) const;

 private:
  model::AdmissionContext Context() const;

  const apiserver::ObjectStore& store_;
  const std::function<model::InferenceServiceConfig()> config_;
};

// The fields that the object's kind does not have, in the words of Kubernetes' strict decoding: 'unknown field
// "spec.x"'.
std::vector<std::string> UnknownFieldsOf(const manifest::Value& object);

// The object that a JSON text of the store is.
manifest::Value ParseStored(const std::string& json);

}  // namespace inferd::apiserver
