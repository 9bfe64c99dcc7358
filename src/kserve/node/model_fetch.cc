#include "kserve/node/model_fetch.h"

#include <string_view>
#include <utility>
#include <vector>

#include "kserve/model/api/annotations.h"
#include "kserve/node/container_variables.h"
#include "kserve/node/pod_volumes.h"
#include "storage/download/download.h"
#include "storage/source/uri.h"

namespace inferd::node {

namespace {

using manifest::Value;

// The pod that the initializer would be alone in.
model::ResolvedPod InitializerPod(const model::ResolvedPod& pod, const model::StorageInitializer& initializer) {
  model::ResolvedPod alone = pod;
  alone.pod_spec.Set("containers", Value::List({initializer.container}));
  alone.pod_spec.Set("volumes", initializer.volumes);
  return alone;
}

// A path, or one that begins with that of a volume, where the volume is on this machine.
std::string PlaceOf(const std::string& path, const std::vector<PathMove>& moves) {
  for (const PathMove& move : moves) {
    if (path == move.from || path.starts_with(move.from + "/")) return move.to + path.substr(move.from.size());
  }
  return path;
}

storage::Environment Over(storage::Environment below, manifest::StringMap variables) {
  return [below = std::move(below), variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? below(name) : found->second;
  };
}

}  // namespace

bool IsOfThisMachine(const std::string& uri) {
  return storage::IsLocalPath(uri) || uri.starts_with("file://") || uri.starts_with("pvc://");
}

std::string ModelUriOf(const model::ResolvedPod& pod) {
  const auto found = pod.annotations.find(model::kStorageSourceAnnotation);
  return found == pod.annotations.end() ? std::string() : found->second;
}

base::Status FetchModel(const model::ResolvedPod& pod, const std::string& folder, const FetchSources& sources,
                        const std::stop_token& stop) {
  if (sources.initializer == nullptr) {
    return storage::Download(ModelUriOf(pod), folder, storage::ProcessEnvironment(), {}, stop);
  }
  INFERD_ASSIGN_OR_RETURN(const model::StorageInitializer initializer, sources.initializer(pod));
  const model::ResolvedPod alone = InitializerPod(pod, initializer);
  PodVolumes volumes(folder + ".secrets", "", sources.data);
  INFERD_ASSIGN_OR_RETURN(const std::vector<PathMove> moves, volumes.Prepare(alone));
  INFERD_ASSIGN_OR_RETURN(
      manifest::StringMap variables,
      ContainerVariables(initializer.container, {.pod = alone, .pod_name = "", .find = sources.data}));
  for (auto& [name, value] : variables) value = PlaceOf(value, moves);
  return storage::Download(initializer.source, folder, Over(storage::ProcessEnvironment(), std::move(variables)), {},
                           stop);
}

}  // namespace inferd::node
