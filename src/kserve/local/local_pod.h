#pragma once

#include <string>

#include "kserve/model/api/inference_service.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::local {

// Where processes of this machine reach a component through the gateway, whose hosts' names are not resolved here:
// "/components/default/iris-predictor-default".
std::string LocalPath(const model::InferenceService& service, model::ComponentKind kind);

// It asks its predictor over gRPC: "--predictor_protocol grpc-v2" is among its arguments, in one word or two.
// Thread-safe.
bool AsksOverGrpc(const model::ResolvedPod& pod);

// A component's pod of a cluster as one of this machine. `predictor`: where its processes reach the predictor, a host
// with its port, and perhaps a path. Thread-safe.
//
// - What names the predictor within the cluster ("iris-predictor-default.default", with .svc and .svc.cluster.local,
//   too), as a word of its own, as an option's value or as a URL's host, becomes that place, in arguments and
//   variables.
// - A container of its own without a command, but with a model (STORAGE_URI), is run by inferd, as KServe's server:
//   a `model.py` with a class of KServe's, or any model of the formats that inferd knows. The image is not looked at.
// - STORAGE_URI is /mnt/models, where the model is (KServe 0.10: the storage initializer).
model::ResolvedPod MakeLocal(model::ResolvedPod pod, const model::InferenceService& service,
                             const std::string& predictor);

}  // namespace inferd::local
