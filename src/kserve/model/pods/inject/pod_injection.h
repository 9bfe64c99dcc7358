#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/pods/storage_initializer.h"

namespace inferd::model {

// The kind of object that gets the injected parts.
enum class PodForm : uint8_t {
  kPod,       // a pod, or a Deployment's template
  kRevision,  // a Knative revision's template: Knative sends requests to the one container that has ports
};

// The inputs of an injection. Refers to the configuration, which must outlive it.
struct PodInjection {
  const InferenceServiceConfig& config;
  FindPodObject find;  // finds Secrets and ServiceAccounts of the pod's namespace; empty if there are none
  PodForm form = PodForm::kPod;
  std::string pod_name = {};  // empty if not known yet
};

// Returns the pod with the parts that KServe's webhook /mutate-pods adds (KServe 0.10), in the webhook's order:
//
// - a node selector for the accelerator in the annotation `serving.kserve.io/gke-accelerator`, if a container has
//   NVIDIA GPUs;
// - the init container `storage-initializer`, which copies the model to the volume `kserve-provision-location`, with
//   the credentials of MakeStorageInitializer. The server mounts the volume at /mnt/models, read-only unless the
//   annotation `storage.kserve.io/readonly` is "false". Claims (pvc://CLAIM/PATH) are mounted at /mnt/pvc. A variable
//   STORAGE_URI is changed to /mnt/models. Predictors of TrainedModels get no initializer: their agent fetches the
//   models;
// - the container `agent`, which logs payloads, batches requests, or fetches TrainedModels. The pod's readiness is that
//   of the agent. In a revision, the agent is the only container with ports and the only one that is probed. inferd's
//   own agent controls an inferd server through a Unix socket in a shared volume. KServe's agent does not;
// - annotations that lead Prometheus to the metrics, and the variables for a queue-proxy that serves both kinds of
//   metrics.
//
// An image called "inferd" (as in the default configuration, or registry.example/team/inferd:2) has its programs as
// commands: inferd-storage-initializer, inferd-agent. Other images, such as KServe's, start their own program with the
// same arguments. An argument without a value is left out, where KServe passes an empty one.
//
// Parts that the pod already has stay unchanged, so a second injection changes nothing. INVALID_ARGUMENT, in KServe's
// words if it has some: there is no container kserve-container; a claim has no name; a storage specification cannot be
// resolved; a resource of the configuration is not a quantity; a batcher annotation is not a number; the server has its
// own volume at /mnt/models. Thread-safe.
base::Result<ResolvedPod> InjectPod(ResolvedPod pod, const PodInjection& injection);

// Does the same for a Pod document from the API, which is not trusted. Changes `metadata` and `spec` only. Also
// INVALID_ARGUMENT if a field has a wrong type: "spec.containers[0].args: must be a list of strings".
base::Result<manifest::Value> InjectPodDocument(manifest::Value pod, std::string_view namespace_name,
                                                PodInjection injection);

}  // namespace inferd::model
