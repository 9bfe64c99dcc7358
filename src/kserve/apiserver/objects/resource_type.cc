#include "kserve/apiserver/objects/resource_type.h"

#include <algorithm>
#include <iterator>

namespace inferd::apiserver {

namespace {

constexpr std::string_view kServing = "serving.kserve.io";

std::vector<ResourceType> KServesTypes() {
  return {
      {.group = kServing,
       .version = "v1beta1",
       .kind = "InferenceService",
       .plural = "inferenceservices",
       .singular = "inferenceservice",
       .short_names = {"isvc"},
       .webhook = "inferenceservice.kserve-webhook-server.validator",
       .has_status = true},
      {.group = kServing,
       .version = "v1alpha1",
       .kind = "ServingRuntime",
       .plural = "servingruntimes",
       .singular = "servingruntime",
       .webhook = "servingruntime.kserve-webhook-server.validator",
       .has_status = true},
      {.group = kServing,
       .version = "v1alpha1",
       .kind = "ClusterServingRuntime",
       .plural = "clusterservingruntimes",
       .singular = "clusterservingruntime",
       .webhook = "clusterservingruntime.kserve-webhook-server.validator",
       .namespaced = false,
       .has_status = true},
      {.group = kServing,
       .version = "v1alpha1",
       .kind = "InferenceGraph",
       .plural = "inferencegraphs",
       .singular = "inferencegraph",
       .short_names = {"ig"},
       .webhook = "inferencegraph.kserve-webhook-server.validator",
       .has_status = true},
      {.group = kServing,
       .version = "v1alpha1",
       .kind = "TrainedModel",
       .plural = "trainedmodels",
       .singular = "trainedmodel",
       .short_names = {"tm"},
       .webhook = "trainedmodel.kserve-webhook-server.validator",
       .has_status = true},
  };
}

// The kinds that KServe's objects refer to or create.
std::vector<ResourceType> OthersTypes() {
  return {
      {.group = "serving.knative.dev",
       .version = "v1",
       .kind = "Revision",
       .plural = "revisions",
       .singular = "revision",
       .short_names = {"rev"},
       .writable = false},
      {.version = "v1",
       .kind = "ConfigMap",
       .plural = "configmaps",
       .singular = "configmap",
       .short_names = {"cm"},
       .has_spec = false},
      {.version = "v1",
       .kind = "Event",
       .plural = "events",
       .singular = "event",
       .short_names = {"ev"},
       .has_spec = false},
      {.version = "v1",
       .kind = "Namespace",
       .plural = "namespaces",
       .singular = "namespace",
       .short_names = {"ns"},
       .namespaced = false,
       .has_status = true},
      {.version = "v1",
       .kind = "Pod",
       .plural = "pods",
       .singular = "pod",
       .short_names = {"po"},
       .has_status = true,
       .writable = false},
      {.version = "v1", .kind = "Secret", .plural = "secrets", .singular = "secret", .has_spec = false},
      {.version = "v1",
       .kind = "ServiceAccount",
       .plural = "serviceaccounts",
       .singular = "serviceaccount",
       .short_names = {"sa"},
       .has_spec = false},
  };
}

std::vector<ResourceType> AllTypes() {
  std::vector<ResourceType> types = KServesTypes();
  std::ranges::move(OthersTypes(), std::back_inserter(types));
  return types;
}

template <typename Predicate>
const ResourceType* Find(Predicate predicate) {
  const auto found = std::ranges::find_if(ResourceTypes(), predicate);
  return found == ResourceTypes().end() ? nullptr : &*found;
}

}  // namespace

std::string ResourceType::resource() const {
  return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

std::string ResourceType::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::span<const ResourceType> ResourceTypes() {
  static const std::vector<ResourceType> kTypes = AllTypes();
  return kTypes;
}

const ResourceType* FindResource(std::string_view group, std::string_view version, std::string_view plural) {
  return Find([&](const ResourceType& type) {
    return type.group == group && type.version == version && type.plural == plural;
  });
}

const ResourceType* FindKind(std::string_view api_version, std::string_view kind) {
  return Find([&](const ResourceType& type) { return type.kind == kind && type.api_version() == api_version; });
}

}  // namespace inferd::apiserver
