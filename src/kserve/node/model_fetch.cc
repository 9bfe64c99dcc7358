#include "kserve/node/model_fetch.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "kserve/model/api/annotations.h"
#include "kserve/node/container_variables.h"
#include "kserve/node/layout/repository_layout.h"
#include "kserve/node/pod_volumes.h"
#include "storage/download/download.h"
#include "storage/source/uri.h"

namespace inferd::node {

namespace {

namespace fs = std::filesystem;
using manifest::Value;

constexpr std::string_view kModelsFolder = "/mnt/models";

// Returns a pod with the initializer as its only container.
model::ResolvedPod InitializerPod(const model::ResolvedPod& pod, const model::StorageInitializer& initializer) {
  model::ResolvedPod alone = pod;
  alone.pod_spec.Set("containers", Value::List({initializer.container}));
  alone.pod_spec.Set("volumes", initializer.volumes);
  return alone;
}

// Returns the local path for a path, if a volume contains it.
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

base::Result<std::string> ResolveClaim(const std::string& uri, const std::string& claims) {
  INFERD_ASSIGN_OR_RETURN(const model::ClaimUri named, model::ReadClaimUri(uri));
  const auto leads_out = [](const std::string& path) {
    const fs::path parts(path);
    return path.contains('\0') || std::ranges::find(parts, fs::path("..")) != parts.end();
  };
  if (leads_out(named.claim) || leads_out(named.path) || named.claim == ".") {
    return std::unexpected(base::InvalidArgument("the path of " + uri + " must not lead out of the claim"));
  }
  const fs::path folder = fs::path(claims) / named.claim;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return std::unexpected(
        base::NotFound("there is no claim " + named.claim + ": its folder would be " + folder.string()));
  }
  fs::path place = named.path.empty() ? folder : folder / named.path;
  if (!fs::exists(place, error)) {
    return std::unexpected(
        base::NotFound("the claim " + named.claim + " has no " + named.path + ": there is no " + place.string()));
  }
  return place.string();
}

}  // namespace

base::Result<std::string> ResolveHere(const std::string& uri, const std::string& claims) {
  if (model::IsClaimUri(uri)) return ResolveClaim(uri, claims);
  std::error_code error;
  // Models below /mnt/models are provided by other means.
  if (!storage::IsLocalPath(uri) || uri.starts_with(kModelsFolder) || fs::exists(uri, error)) return uri;
  const std::string where = fs::path(uri).is_absolute() ? "" : " in " + fs::current_path(error).string();
  return std::unexpected(base::NotFound("there is no folder " + uri + where));
}

bool IsOfThisMachine(const std::string& uri) {
  return storage::IsLocalPath(uri) || uri.starts_with("file://") || model::IsClaimUri(uri);
}

std::string ModelUriOf(const model::ResolvedPod& pod) {
  const auto found = pod.annotations.find(model::kStorageSourceAnnotation);
  return found == pod.annotations.end() ? std::string() : found->second;
}

namespace {

base::Status Bring(const model::ResolvedPod& pod, const std::string& folder, const FetchSources& sources,
                   const std::stop_token& stop) {
  if (sources.initializer == nullptr) {
    INFERD_ASSIGN_OR_RETURN(const std::string uri, ResolveHere(ModelUriOf(pod), sources.claims));
    return storage::Download(uri, folder, storage::ProcessEnvironment(), {}, stop);
  }
  INFERD_ASSIGN_OR_RETURN(const model::StorageInitializer initializer, sources.initializer(pod));
  INFERD_ASSIGN_OR_RETURN(const std::string uri, ResolveHere(initializer.source, sources.claims));
  const model::ResolvedPod alone = InitializerPod(pod, initializer);
  PodVolumes volumes(folder + ".secrets", "", sources.data);
  INFERD_ASSIGN_OR_RETURN(const std::vector<PathMove> moves, volumes.Prepare(alone));
  INFERD_ASSIGN_OR_RETURN(
      manifest::StringMap variables,
      ContainerVariables(initializer.container, {.pod = alone, .pod_name = "", .find = sources.data}));
  for (auto& [name, value] : variables) value = PlaceOf(value, moves);
  return storage::Download(uri, folder, Over(storage::ProcessEnvironment(), std::move(variables)), {}, stop);
}

}  // namespace

base::Status FetchModel(const model::ResolvedPod& pod, const std::string& folder, const FetchSources& sources,
                        const std::stop_token& stop) {
  INFERD_RETURN_IF_ERROR(Bring(pod, folder, sources, stop));
  std::error_code error;
  if (!TakesRepository(pod) || !fs::exists(folder, error)) return base::OkStatus();
  const auto service = pod.labels.find(model::kInferenceServiceLabel);
  return MakeRepository(folder, service == pod.labels.end() ? "model" : service->second, ModelUriOf(pod));
}

}  // namespace inferd::node
