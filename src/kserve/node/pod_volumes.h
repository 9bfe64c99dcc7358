#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/pod_data.h"

namespace inferd::node {

// A path in a container, and its path on this machine.
struct PathMove {
  std::string from;
  std::string to;

  bool operator==(const PathMove&) const = default;
};

// The volumes of one pod, as local folders for the serving container's `volumeMounts`. emptyDir lasts as long as this
// object. Each Prepare writes the files of configMap and secret anew. hostPath is the path itself.
// persistentVolumeClaim is a permanent folder for each claim. Not thread-safe.
class PodVolumes final {
 public:
  // `folder` is for this pod only. `claims_folder` is for all claims. `find` is for configMap and secret.
  PodVolumes(std::string folder, std::string claims_folder, FindData find)
      : folder_(std::move(folder)), claims_folder_(std::move(claims_folder)), find_(std::move(find)) {}
  // Removes the pod's folder.
  ~PodVolumes();
  PodVolumes(const PodVolumes&) = delete;
  PodVolumes& operator=(const PodVolumes&) = delete;

  // Creates the folders. Call before the pod's process starts. Returns the moves, the longest container path first.
  // INVALID_ARGUMENT, with the field, for a volume of another kind, or a path that leads out of the volume. NOT_FOUND
  // if the source of a volume does not exist. UNAVAILABLE if a folder cannot be written.
  base::Result<std::vector<PathMove>> Prepare(const model::ResolvedPod& pod);

 private:
  base::Result<std::string> Place(const manifest::Value& volume, const model::ResolvedPod& pod) const;
  base::Result<std::string> PlaceOfData(const manifest::Value& data, DataSource source, std::string_view items_field,
                                        const std::string& name) const;

  const std::string folder_;
  const std::string claims_folder_;
  const FindData find_;
  bool begun_ = false;
};

}  // namespace inferd::node
