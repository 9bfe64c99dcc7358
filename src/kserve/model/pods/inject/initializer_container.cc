#include "kserve/model/pods/inject/initializer_container.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr SidecarKind kInitializer = {
    .name = "storage-initializer", .program = "inferd-storage-initializer", .config_key = "storageInitializer"};
constexpr std::string_view kProvisionVolume = "kserve-provision-location";
constexpr std::string_view kProvisionPath = "/mnt/models";
constexpr std::string_view kClaimVolume = "kserve-pvc-source";
constexpr std::string_view kClaimPath = "/mnt/pvc";

// Checks that the server has no other volume at the model's path.
base::Status CheckProvisionPath(const Value& server) {
  const Value* const mounts = server.Find("volumeMounts");
  if (mounts == nullptr) return base::OkStatus();
  for (const Value& mount : mounts->items()) {
    const Value* const path = mount.Find("mountPath");
    const Value* const name = mount.Find("name");
    if (path == nullptr || name == nullptr || path->text() != kProvisionPath || name->text() == kProvisionVolume)
      continue;
    return base::InvalidArgument("Invalid configuration: container " + std::string(kServingContainer) +
                                 " has the volume " + name->text() + " at " + std::string(kProvisionPath) +
                                 ", where its model is to come");
  }
  return base::OkStatus();
}

// Mounts the claim in the server and the initializer. The source becomes a path in it, to which the initializer links.
base::Status MountClaim(std::string& source, Value& server, Value& initializer, Value& volumes) {
  INFERD_ASSIGN_OR_RETURN(ClaimUri uri, ReadClaimUri(source));
  volumes.items().push_back(MakeVolume(kClaimVolume, "persistentVolumeClaim",
                                       Value::Map({{"claimName", Value::String(std::move(uri.claim))}})));
  AddMount(initializer, kClaimVolume, kClaimPath, true);
  AddMount(server, kClaimVolume, kClaimPath, true);
  source = std::string(kClaimPath) + "/" + uri.path;
  return base::OkStatus();
}

// Sets STORAGE_URI, by which a custom server finds its model, to the model's local path.
void RewriteStorageUri(Value& server) {
  Value* const variable = FindNamed(server, "env", "STORAGE_URI");
  const Value* const value = variable == nullptr ? nullptr : std::as_const(*variable).Find("value");
  if (value == nullptr || value->text().empty()) return;
  variable->Set("value", Text(kProvisionPath));
}

void MoveInto(std::vector<Value>& list, Value* more) {
  if (more != nullptr) std::ranges::move(more->items(), std::back_inserter(list));
}

}  // namespace

base::Status InjectStorageInitializer(const PodInjection& injection, ResolvedPod& pod) {
  const bool agent_brings_models = pod.annotations.contains(kAgentAnnotation);
  if (AnnotationOf(pod, kStorageSourceAnnotation).empty() || agent_brings_models) return base::OkStatus();
  if (FindNamed(pod.pod_spec, "initContainers", kInitializer.name) != nullptr) return base::OkStatus();
  Value* const server = FindNamed(pod.pod_spec, "containers", kServingContainer);
  if (server == nullptr) {
    return base::InvalidArgument("Invalid configuration: cannot find container: " + std::string(kServingContainer));
  }
  INFERD_RETURN_IF_ERROR(CheckProvisionPath(*server));
  INFERD_ASSIGN_OR_RETURN(StorageInitializer made, MakeStorageInitializer(pod, injection.config, injection.find));

  Value volumes = Value::List();
  Value mounts = Value::Map();
  if (IsClaimUri(made.source)) {
    INFERD_RETURN_IF_ERROR(MountClaim(made.source, *server, mounts, volumes));
  }
  volumes.items().push_back(MakeVolume(kProvisionVolume, "emptyDir", Value::Map()));
  MoveInto(volumes.items(), &made.volumes);
  AddMount(mounts, kProvisionVolume, kProvisionPath, false);
  AddMount(*server, kProvisionVolume, kProvisionPath, AnnotationOf(pod, kStorageReadOnlyAnnotation) != "false");
  RewriteStorageUri(*server);

  INFERD_ASSIGN_OR_RETURN(Value container, MakeSidecar(kInitializer, injection.config.storage_initializer,
                                                       {made.source, std::string(kProvisionPath)}, *server));
  Restrict(pod.pod_spec, container);
  // The end of its log becomes the reason of a failure in the pod's status.
  container.Set("terminationMessagePolicy", Text("FallbackToLogsOnError"));
  if (Value* const variables = made.container.Find("env")) container.Set("env", std::move(*variables));
  std::vector<Value>& all_mounts = ListOf(container, "volumeMounts");
  MoveInto(all_mounts, mounts.Find("volumeMounts"));
  MoveInto(all_mounts, made.container.Find("volumeMounts"));
  AddVolumes(std::move(volumes), pod);
  ListOf(pod.pod_spec, "initContainers").push_back(std::move(container));
  return base::OkStatus();
}

}  // namespace inferd::model
