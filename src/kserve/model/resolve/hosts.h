#pragma once

#include <string>

#include "base/status.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// The host under which an object (of a service, or a graph) is reached from outside: the configuration's
// domainTemplate, of the object's name, the namespace, the domain, and the metadata's labels and annotations (KServe
// 0.10: GenerateDomainName). INVALID_ARGUMENT: the template has other placeholders, or makes no domain name.
// Thread-safe.
base::Result<std::string> ExternalHost(const ObjectMeta& metadata, const std::string& object_name,
                                       const InferenceServiceConfig& config);
inline base::Result<std::string> ExternalHost(const InferenceService& service, const std::string& object_name,
                                              const InferenceServiceConfig& config) {
  return ExternalHost(service.metadata, object_name, config);
}

// The host within the cluster: "digits.models.svc.cluster.local".
std::string ClusterHost(const ObjectMeta& metadata, const std::string& object_name);
inline std::string ClusterHost(const InferenceService& service, const std::string& object_name) {
  return ClusterHost(service.metadata, object_name);
}

// The service's path under the ingress' domain: the configuration's pathTemplate; empty if it has none.
base::Result<std::string> ExternalPath(const ObjectMeta& metadata, const InferenceServiceConfig& config);
inline base::Result<std::string> ExternalPath(const InferenceService& service, const InferenceServiceConfig& config) {
  return ExternalPath(service.metadata, config);
}

}  // namespace inferd::model
