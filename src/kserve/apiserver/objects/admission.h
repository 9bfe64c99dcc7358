#pragma once

#include <functional>
#include <string>

#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/store/object_store.h"
#include "kserve/model/resolve/admission.h"

namespace inferd::apiserver {

// The steps before an object is stored: KServe's mutating and validating webhooks, and the completion by the API server
// itself. Thread-safe. The store must outlive it.
class Admission final {
 public:
  // `config` returns the current configuration. Called on any thread.
  Admission(const apiserver::ObjectStore& store, std::function<model::InferenceServiceConfig()> config)
      : store_(store), config_(std::move(config)) {}

  // Returns the object with its defaults. `live` is the object to be replaced, or null. Errors: a field of a wrong type
  // (Invalid), and the denial of a webhook, in KServe's words.
  ApiResult<manifest::Value> Admit(const ResourceType& type, manifest::Value object, const manifest::Value* live) const;

  // Returns the object with its defaults, without checks, as far as it can be read.
  manifest::Value WithDefaults(const ResourceType& type, manifest::Value object) const;

 private:
  model::AdmissionContext Context() const;

  const apiserver::ObjectStore& store_;
  const std::function<model::InferenceServiceConfig()> config_;
};

// Returns the fields that the object's kind does not have, in the words of Kubernetes' strict decoding: 'unknown field
// "spec.x"'.
std::vector<std::string> UnknownFieldsOf(const manifest::Value& object);

// Parses an object's JSON text from the store.
manifest::Value ParseStored(const std::string& json);

}  // namespace inferd::apiserver
