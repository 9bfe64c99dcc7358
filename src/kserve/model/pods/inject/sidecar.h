#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Returns true if the image is inferd's own, which has all inferd programs: "registry.example/inferd:1.0".
bool IsOwnImage(const std::string& image);

// A kind of container that runs an inferd program beside the server, or instead of it.
struct SidecarKind {
  std::string_view name;        // of the container
  std::string_view program;     // in inferd's own image
  std::string_view config_key;  // in inferenceservice-config
};

// Returns the container with its image, resources, `arguments`, and the server's security context, as KServe does.
// `server` is null if there is no server. INVALID_ARGUMENT, in KServe's words: a resource of the configuration is not a
// quantity. Thread-safe.
base::Result<manifest::Value> MakeSidecar(const SidecarKind& kind, const InferenceServiceConfig::Sidecar& settings,
                                          const std::vector<std::string>& arguments, const manifest::Value& server);

// Returns the security context that the pod security standard "restricted" demands of a container.
manifest::Value RestrictedContext();

// Makes a container of inferd's own image comply with "restricted". Fields that its security context already sets stay.
// A container that is set to run as root, by itself or by its pod, still does.
void Restrict(const manifest::Value& pod_spec, manifest::Value& container);

// Returns a volume for the pod's list. `source` is "emptyDir" or another volume type, with its settings.
manifest::Value MakeVolume(std::string_view name, std::string_view source, manifest::Value settings);

// Adds volumes to the pod, except those whose names it already has.
void AddVolumes(manifest::Value volumes, ResolvedPod& pod);

// Adds a mount to the container, unless it already mounts the volume.
void AddMount(manifest::Value& container, std::string_view volume, std::string_view path, bool read_only);

// Returns the value of the pod's annotation. Empty if there is none.
std::string AnnotationOf(const ResolvedPod& pod, const std::string& key);

}  // namespace inferd::model
