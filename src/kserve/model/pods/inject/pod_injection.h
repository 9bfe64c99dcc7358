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

// What is injected into.
enum class PodForm : uint8_t {
  kPod,       // a pod as it is, or a Deployment's template
  kRevision,  // a Knative revision's template: Knative sends requests to the one container that has ports
};

// By what pods are given what KServe's webhook gives them. A value; refers to the configuration.
struct PodInjection {
  const InferenceServiceConfig& config;
  FindPodObject find;  // Secrets and ServiceAccounts of the pod's namespace; empty: there are none
  PodForm form = PodForm::kPod;
  std::string pod_name = {};  // empty: not known yet
};

// The pod with what KServe's webhook /mutate-pods puts into it (KServe 0.10), in its order:
//
// - a node selector for the accelerator that the annotation `serving.kserve.io/gke-accelerator` names, where a
// container
//   is given NVIDIA's GPUs;
// - the init container `storage-initializer`, which brings the model to the volume `kserve-provision-location`, with
// the
//   credentials that MakeStorageInitializer finds; the volume is the server's /mnt/models, read only unless the
//   annotation `storage.kserve.io/readonly` is "false". Claims (pvc://CLAIM/PATH) are mounted at /mnt/pvc. A variable
//   STORAGE_URI says /mnt/models afterwards. Not where models come and go: the agent brings those;
// - the container `agent`, which logs payloads, puts requests together, or brings the models that come and go. It is
//   asked whether the pod is ready. In a revision it is the one container with ports, and the one that is probed. Where
//   inferd's own agent brings models to inferd, it controls it by a Unix socket in a volume of both, which KServe's
//   does not;
// - annotations that lead Prometheus to metrics, and a queue-proxy's variables for those of both.
//
// An image that is called "inferd" (the configuration's defaults are, as is registry.example/team/inferd:2) has the
// programs as commands: inferd-storage-initializer, inferd-agent. Other images, such as KServe's, start their own with
// the same arguments. An argument whose value is not known is left out, where KServe gives an empty one.
//
// What a pod has already stays as it is: once more changes nothing. INVALID_ARGUMENT, in KServe's words where it has
// some: no container kserve-container; a claim without a name; a storage specification that cannot be resolved;
// resources of the configuration that are no quantities; a batcher's annotations that are no numbers; a server that has
// a volume of its own at /mnt/models. Any thread.
base::Result<ResolvedPod> InjectPod(ResolvedPod pod, const PodInjection& injection);

// Likewise of a Pod as a document of the API, which is not trusted: `metadata` and `spec`, all else stays.
// INVALID_ARGUMENT besides: a field has a wrong type, "spec.containers[0].args: must be a list of strings".
base::Result<manifest::Value> InjectPodDocument(manifest::Value pod, std::string_view namespace_name,
                                                PodInjection injection);

}  // namespace inferd::model
