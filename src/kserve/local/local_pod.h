#pragma once

#include <string>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::local {

// Returns the path of a component on the gateway, for local processes, which cannot resolve the gateway's host names:
// "/components/default/iris-predictor-default".
std::string LocalPath(const model::InferenceService& service, model::ComponentKind kind);

// Returns true if the pod calls its predictor over gRPC: its arguments have "--predictor_protocol grpc-v2", in one word
// or two. Thread-safe.
bool AsksOverGrpc(const model::ResolvedPod& pod);

// Converts a component's pod for a cluster to one for this machine. `predictor` is the predictor's address for its
// processes: host and port, with an optional path. Thread-safe.
//
// - In arguments and variables, the predictor's host name within the cluster ("iris-predictor-default.default", also
//   with .svc and .svc.cluster.local) is replaced by that address. The name must be a whole word, an option's value or
//   a URL's host.
// - A custom container without a command but with a model (STORAGE_URI) is run by inferd, as KServe's server. It runs a
//   `model.py` with a class of KServe's, or any model format of inferd. The image is ignored.
// - STORAGE_URI becomes /mnt/models, where the model is (KServe 0.10: the storage initializer).
model::ResolvedPod MakeLocal(model::ResolvedPod pod, const model::InferenceService& service,
                             const std::string& predictor);

}  // namespace inferd::local
