#include "kserve/cluster/objects/resources.h"

#include <algorithm>

#include "data/manifest/value_path.h"

namespace inferd::cluster {

using kubernetes::Resource;
using manifest::TextAt;

const Resource& InferenceServices() {
  static const Resource resource = {"serving.kserve.io", "v1beta1", "InferenceService", "inferenceservices"};
  return resource;
}

const Resource& ServingRuntimes() {
  static const Resource resource = {"serving.kserve.io", "v1alpha1", "ServingRuntime", "servingruntimes"};
  return resource;
}

const Resource& ClusterServingRuntimes() {
  static const Resource resource = {"serving.kserve.io", "v1alpha1", "ClusterServingRuntime", "clusterservingruntimes",
                                    false};
  return resource;
}

const Resource& TrainedModels() {
  static const Resource resource = {"serving.kserve.io", "v1alpha1", "TrainedModel", "trainedmodels"};
  return resource;
}

const Resource& InferenceGraphs() {
  static const Resource resource = {"serving.kserve.io", "v1alpha1", "InferenceGraph", "inferencegraphs"};
  return resource;
}

const Resource& ConfigMaps() {
  static const Resource resource = {"", "v1", "ConfigMap", "configmaps"};
  return resource;
}

const Resource& Pods() {
  static const Resource resource = {"", "v1", "Pod", "pods"};
  return resource;
}

const Resource& Deployments() {
  static const Resource resource = {"apps", "v1", "Deployment", "deployments"};
  return resource;
}

const Resource& PlainServices() {
  static const Resource resource = {"", "v1", "Service", "services"};
  return resource;
}

const Resource& KnativeServices() {
  static const Resource resource = {"serving.knative.dev", "v1", "Service", "services"};
  return resource;
}

const Resource& VirtualServices() {
  static const Resource resource = {"networking.istio.io", "v1alpha3", "VirtualService", "virtualservices"};
  return resource;
}

const Resource& HttpRoutes() {
  static const Resource resource = {"gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"};
  return resource;
}

const std::array<WrittenResource, kWrittenResources>& WrittenResources() {
  static const std::array<WrittenResource, kWrittenResources> resources = {{
      {ConfigMaps()},
      {Deployments()},
      {PlainServices()},
      {{"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"}},
      {{"networking.k8s.io", "v1", "Ingress", "ingresses"}},
      {KnativeServices(), true},
      {VirtualServices(), true},
      {HttpRoutes(), true},
  }};
  return resources;
}

bool IsOptional(const Resource& resource) {
  const auto* const found = std::ranges::find(WrittenResources(), resource, &WrittenResource::resource);
  return found != WrittenResources().end() && found->optional;
}

const Resource* WrittenResourceOf(const manifest::Value& object) {
  const std::string& api_version = TextAt(object, {"apiVersion"});
  const std::string& kind = TextAt(object, {"kind"});
  for (const WrittenResource& each : WrittenResources()) {
    if (each.resource.kind == kind && each.resource.api_version() == api_version) return &each.resource;
  }
  return nullptr;
}

}  // namespace inferd::cluster
