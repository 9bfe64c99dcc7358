#pragma once

#include <string>
#include <string_view>

#include "controlplane/api/inference_service.h"
#include "controlplane/pods/pod_resolution.h"
#include "manifest/value_path.h"

namespace inferd::controlplane {

using manifest::Text;
inline manifest::Value Number(int64_t number) { return manifest::Value::Int(number); }

// An object of a service, without a spec: it belongs to the service, so that it goes with it.
manifest::Value BeginObject(std::string_view api_version, std::string_view kind, const std::string& name,
                            const InferenceService& service, const StringMap& labels, const StringMap& annotations);

// The pod's, with the label by which its Deployment, Service and autoscaler find it: app=isvc.<object>.
StringMap SelectedLabels(const ResolvedPod& pod, const std::string& object_name);
manifest::Value Selector(const std::string& object_name);

// The pod's spec with a readiness probe of its first container, where it has none: a connection to its first port, or
// to 8080.
manifest::Value WithReadinessProbe(const manifest::Value& pod_spec);

// The first container's ports; null: none.
const manifest::Value* FirstPorts(const manifest::Value& pod_spec);

}  // namespace inferd::controlplane
