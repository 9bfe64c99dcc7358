#include "kserve/node/pod_volumes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace inferd::node {

namespace {

namespace fs = std::filesystem;
using manifest::Kind;
using manifest::StringMap;
using manifest::Value;

// Returns true if the path stays within the folder that it is appended to.
bool IsWithin(const std::string& path) {
  const fs::path parts(path);
  return !path.empty() && parts.is_relative() && path.find('\0') == std::string::npos &&
         std::ranges::none_of(parts, [](const fs::path& part) { return part == ".."; });
}

// Creates a folder for this user only, because it may hold secrets.
base::Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) fs::permissions(path, fs::perms::owner_all, error);
  return error ? base::Unavailable("the folder '" + path + "' cannot be made: " + error.message()) : base::OkStatus();
}

base::Status WriteFile(const std::string& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  // A process that has the old file open must see it whole.
  const std::string next = path + ".next";
  std::ofstream out(next, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (out.good()) fs::rename(next, path, error);
  return out.good() && !error ? base::OkStatus() : base::Unavailable("the file '" + path + "' cannot be written");
}

const Value* FindVolume(const Value& pod_spec, const std::string& name) {
  const Value* const volumes = pod_spec.Find("volumes");
  if (volumes == nullptr || !volumes->is(Kind::kList)) return nullptr;
  for (const Value& volume : volumes->items()) {
    if (TextIn(&volume, "name") == name) return &volume;
  }
  return nullptr;
}

base::Result<std::string> HostPath(const Value& volume, const std::string& field) {
  const std::string path = TextIn(&volume, "path");
  if (!path.starts_with('/')) return std::unexpected(base::InvalidArgument(field + ".hostPath.path: must be absolute"));
  std::error_code error;
  if (TextIn(&volume, "type") == "DirectoryOrCreate") fs::create_directories(path, error);
  if (!fs::exists(path, error)) {
    return std::unexpected(base::NotFound(field + ".hostPath.path: there is no '" + path + "' on this machine"));
  }
  return path;
}

// Returns the files of a volume: its `items`, or every value under its key.
base::Result<StringMap> FilesOf(const Value& data, const StringMap& values, const DataSource& source) {
  const Value* const items = data.Find("items");
  if (items == nullptr || !items->is(Kind::kList)) return values;
  StringMap files;
  for (const Value& item : items->items()) {
    const std::string key = TextIn(&item, "key");
    const auto found = values.find(key);
    if (found != values.end()) {
      files[TextIn(&item, "path")] = found->second;
    } else if (!IsOptional(data)) {
      return std::unexpected(
          base::NotFound(KindWord(source) + " \"" + source.name + "\" references non-existent key: " + key));
    }
  }
  return files;
}

}  // namespace

PodVolumes::~PodVolumes() {
  std::error_code ignored;
  if (begun_) fs::remove_all(folder_, ignored);
}

base::Result<std::vector<PathMove>> PodVolumes::Prepare(const model::ResolvedPod& pod) {
  std::vector<PathMove> moves;
  const Value* const containers = pod.pod_spec.Find("containers");
  if (containers == nullptr || containers->items().empty()) return moves;
  const Value* const mounts = containers->items().front().Find("volumeMounts");
  if (mounts == nullptr || !mounts->is(Kind::kList)) return moves;
  // Removes what a killed program has left.
  std::error_code ignored;
  if (!std::exchange(begun_, true)) fs::remove_all(folder_, ignored);
  for (const Value& mount : mounts->items()) {
    const std::string name = TextIn(&mount, "name");
    const Value* const volume = FindVolume(pod.pod_spec, name);
    if (volume == nullptr) {
      return std::unexpected(
          base::InvalidArgument(FieldOfContainer(pod, "volumeMounts") + ": there is no volume '" + name + "'"));
    }
    INFERD_ASSIGN_OR_RETURN(std::string place, Place(*volume, pod));
    if (const std::string below = TextIn(&mount, "subPath"); !below.empty()) {
      if (!IsWithin(below)) {
        return std::unexpected(base::InvalidArgument(FieldOfContainer(pod, "volumeMounts[" + name + "].subPath") +
                                                     ": must not lead out of the volume"));
      }
      place += "/" + below;
      if (!fs::exists(place, ignored)) INFERD_RETURN_IF_ERROR(MakeFolder(place));
    }
    std::string path = TextIn(&mount, "mountPath");
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    moves.push_back({std::move(path), std::move(place)});
  }
  std::ranges::stable_sort(moves, std::ranges::greater(), [](const PathMove& move) { return move.from.size(); });
  return moves;
}

base::Result<std::string> PodVolumes::Place(const Value& volume, const model::ResolvedPod& pod) const {
  const std::string name = TextIn(&volume, "name");
  const std::string field = "spec.volumes[" + name + "]";
  if (!IsWithin(name) || name.find('/') != std::string::npos) {
    return std::unexpected(base::InvalidArgument(field + ".name: is no name"));
  }
  if (volume.Find("emptyDir") != nullptr) {
    const std::string place = folder_ + "/" + name;
    INFERD_RETURN_IF_ERROR(MakeFolder(place));
    return place;
  }
  if (const Value* const host = volume.Find("hostPath")) return HostPath(*host, field);
  if (const Value* const map = volume.Find("configMap")) {
    return PlaceOfData(*map, {false, pod.namespace_name, TextIn(map, "name")}, field, name);
  }
  if (const Value* const secret = volume.Find("secret")) {
    return PlaceOfData(*secret, {true, pod.namespace_name, TextIn(secret, "secretName")}, field, name);
  }
  if (const Value* const claim = volume.Find("persistentVolumeClaim")) {
    const std::string claimed = TextIn(claim, "claimName");
    if (!IsWithin(claimed)) return std::unexpected(base::InvalidArgument(field + ".persistentVolumeClaim.claimName"));
    const std::string place = claims_folder_ + "/" + pod.namespace_name + "/" + claimed;
    INFERD_RETURN_IF_ERROR(MakeFolder(place));
    return place;
  }
  return std::unexpected(base::InvalidArgument(
      field + ": expected emptyDir, hostPath, configMap, secret or persistentVolumeClaim on this machine"));
}

base::Result<std::string> PodVolumes::PlaceOfData(const Value& data, DataSource source, std::string_view field,
                                                  const std::string& name) const {
  INFERD_ASSIGN_OR_RETURN(const StringMap values, ReadData(find_, source, IsOptional(data)));
  INFERD_ASSIGN_OR_RETURN(const StringMap files, FilesOf(data, values, source));
  const std::string place = folder_ + "/" + name;
  INFERD_RETURN_IF_ERROR(MakeFolder(place));
  for (const auto& [path, content] : files) {
    if (!IsWithin(path)) {
      return std::unexpected(
          base::InvalidArgument(std::string(field) + ": the path '" + path + "' leads out of the volume"));
    }
    INFERD_RETURN_IF_ERROR(WriteFile(place + "/" + path, content));
  }
  return place;
}

}  // namespace inferd::node
