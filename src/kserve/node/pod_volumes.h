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

// A path of a container, and what it is on this machine.
struct PathMove {
  std::string from;
  std::string to;

  bool operator==(const PathMove&) const = default;
};

// The volumes of one pod, as folders of this machine that the serving container's `volumeMounts` name: emptyDir, which
// lasts as long as this object; configMap and secret, whose files are written anew by each Prepare; hostPath; and
// persistentVolumeClaim, a folder for each claim that stays. Not thread-safe.
class PodVolumes final {
 public:
  // `folder`: of this pod alone; `claims_folder`: of all claims. `find` is for configMap and secret.
  PodVolumes(std::string folder, std::string claims_folder, FindData find)
      : folder_(std::move(folder)), claims_folder_(std::move(claims_folder)), find_(std::move(find)) {}
  // Removes its folder.
  ~PodVolumes();
  PodVolumes(const PodVolumes&) = delete;
  PodVolumes& operator=(const PodVolumes&) = delete;

  // Makes the folders, before the pod's process starts. The longest path of a container comes first. INVALID_ARGUMENT,
  // with the field: a volume of another kind, or a path that leads out of it; NOT_FOUND: what a volume is made of is
  // not there; UNAVAILABLE: it cannot be written.
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
