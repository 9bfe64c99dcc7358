#pragma once

#include <string>

#include "base/status.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// Returns the external host of an object of a service or a graph. The configuration's domainTemplate is filled with the
// object's name, the namespace, the domain, and the labels and annotations of `metadata` (KServe 0.10:
// GenerateDomainName). INVALID_ARGUMENT if the template has other placeholders, or does not give a domain name.
// Thread-safe.
base::Result<std::string> ExternalHost(const ObjectMeta& metadata, const std::string& object_name,
                                       const InferenceServiceConfig& config);
inline base::Result<std::string> ExternalHost(const InferenceService& service, const std::string& object_name,
                                              const InferenceServiceConfig& config) {
  return ExternalHost(service.metadata, object_name, config);
}

// Returns the host within the cluster: "digits.models.svc.cluster.local".
std::string ClusterHost(const ObjectMeta& metadata, const std::string& object_name);
inline std::string ClusterHost(const InferenceService& service, const std::string& object_name) {
  return ClusterHost(service.metadata, object_name);
}

// Returns the service's path under the ingress domain, from the configuration's pathTemplate. Empty without a template.
base::Result<std::string> ExternalPath(const ObjectMeta& metadata, const InferenceServiceConfig& config);
inline base::Result<std::string> ExternalPath(const InferenceService& service, const InferenceServiceConfig& config) {
  return ExternalPath(service.metadata, config);
}

}  // namespace inferd::model
