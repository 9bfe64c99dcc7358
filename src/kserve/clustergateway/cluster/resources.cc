#include "kserve/clustergateway/cluster/resources.h"

namespace inferd::clustergateway {

using kubernetes::Resource;

const Resource& InferenceServices() {
  static const Resource kResource = {
      .group = "serving.kserve.io", .version = "v1beta1", .kind = "InferenceService", .plural = "inferenceservices"};
  return kResource;
}

const Resource& Deployments() {
  static const Resource kResource = {.group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
  return kResource;
}

const Resource& EndpointSlices() {
  static const Resource kResource = {
      .group = "discovery.k8s.io", .version = "v1", .kind = "EndpointSlice", .plural = "endpointslices"};
  return kResource;
}

const Resource& ConfigMaps() {
  static const Resource kResource = {.group = "", .version = "v1", .kind = "ConfigMap", .plural = "configmaps"};
  return kResource;
}

}  // namespace inferd::clustergateway
