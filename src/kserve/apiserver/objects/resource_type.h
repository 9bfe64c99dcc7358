#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::apiserver {

// A kind of object in the API.
struct ResourceType {
  std::string_view group = {};  // "serving.kserve.io"; empty for Kubernetes' core group
  std::string_view version;
  std::string_view kind;      // "InferenceService"
  std::string_view plural;    // "inferenceservices"
  std::string_view singular;  // "inferenceservice"
  std::vector<std::string_view> short_names = {};
  std::string_view webhook = {};  // KServe's name of the validating webhook; empty if none
  bool namespaced = true;
  bool has_status = false;  // written only through /status
  bool has_spec = true;     // a change of the spec raises the generation
  bool writable = true;     // by clients; if false, only by the controller

  // Returns the name in Kubernetes' messages: "inferenceservices.serving.kserve.io", "configmaps".
  std::string resource() const;
  // Returns "serving.kserve.io/v1beta1", or "v1".
  std::string api_version() const;
};

// Returns all types. Thread-safe, as are the other functions.
std::span<const ResourceType> ResourceTypes();
// Return the type, or null if there is none.
const ResourceType* FindResource(std::string_view group, std::string_view version, std::string_view plural);
const ResourceType* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace inferd::apiserver
