#include "kserve/cluster/objects/trim.h"

namespace inferd::cluster {

void TrimManagedFields(manifest::Value& object) {
  if (manifest::Value* const metadata = object.Find("metadata")) metadata->Remove("managedFields");
}

void TrimPod(manifest::Value& pod) {
  TrimManagedFields(pod);
  pod.Remove("spec");
  if (manifest::Value* const metadata = pod.Find("metadata")) metadata->Remove("annotations");
}

}  // namespace inferd::cluster
