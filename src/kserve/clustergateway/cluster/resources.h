#pragma once

#include "kserve/kubernetes/api/resource.h"

namespace inferd::clustergateway {

// The kinds of objects that the gateway reads and writes. The functions are thread-safe.
const kubernetes::Resource& InferenceServices();
const kubernetes::Resource& Deployments();
const kubernetes::Resource& EndpointSlices();
const kubernetes::Resource& ConfigMaps();

}  // namespace inferd::clustergateway
