#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::apiserver {

// A kind of objects that the API has.
struct ResourceType {
  std::string_view group = {};  // "serving.kserve.io"; empty: Kubernetes' own
  std::string_view version;
  std::string_view kind;      // "InferenceService"
  std::string_view plural;    // "inferenceservices"
  std::string_view singular;  // "inferenceservice"
  std::vector<std::string_view> short_names = {};
  std::string_view webhook = {};  // what KServe calls the one that validates it; empty: none does
  bool namespaced = true;
  bool has_status = false;  // which is written by /status alone
  bool has_spec = true;     // whose changes raise the generation
  bool writable = true;     // by clients; else by the controller alone

  // "inferenceservices.serving.kserve.io", as Kubernetes' messages name them; "configmaps".
  std::string resource() const;
  // "serving.kserve.io/v1beta1"; "v1".
  std::string api_version() const;
};

// All of them. Thread-safe, as are the others.
std::span<const ResourceType> ResourceTypes();
// Null: there is none.
const ResourceType* FindResource(std::string_view group, std::string_view version, std::string_view plural);
const ResourceType* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace inferd::apiserver
