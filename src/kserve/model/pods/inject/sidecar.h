#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Whether an image is inferd's own, which has all its programs: "registry.example/inferd:1.0".
bool IsOwnImage(const std::string& image);

// A container that runs a program of ours beside the server, or in its place.
struct SidecarKind {
  std::string_view name;        // of the container
  std::string_view program;     // of inferd's own image
  std::string_view config_key;  // in inferenceservice-config
};

// The container with its image and resources, `arguments`, and the security context of the server (null: there is no
// server), as KServe has it.
// INVALID_ARGUMENT, in KServe's words: a resource of the configuration is no quantity. Any thread.
base::Result<manifest::Value> MakeSidecar(const SidecarKind& kind, const InferenceServiceConfig::Sidecar& settings,
                                          const std::vector<std::string>& arguments, const manifest::Value& server);

// A volume, as the pod's list has it. `source` is "emptyDir" or its like, with its settings.
manifest::Value MakeVolume(std::string_view name, std::string_view source, manifest::Value settings);

// Adds a list of volumes to the pod's, but for those whose names are there.
void AddVolumes(manifest::Value volumes, ResolvedPod& pod);

// A mount of the container, which is added where there is none of that volume.
void AddMount(manifest::Value& container, std::string_view volume, std::string_view path, bool read_only);

// The value of the pod's annotation; empty: it has none.
std::string AnnotationOf(const ResolvedPod& pod, const std::string& key);

}  // namespace inferd::model
