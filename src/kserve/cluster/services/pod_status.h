#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/kubernetes/watch/object_cache.h"
#include "kserve/model/status/replica_status.h"

namespace inferd::cluster {

// What a pod of a cluster is, as the status of its service says it (KServe 0.10: what status.modelStatus is made of):
// the storage initializer's failure before the server's; what waits for a reason that does not mend itself
// (ImagePullBackOff, CrashLoopBackOff, ...) has failed. A message that a container left is the failure in its own
// words. Thread-safe, as are the others.
model::ReplicaStatus ReadPodStatus(const manifest::Value& pod);

// Why a pod has not begun, where its containers say nothing: "pod \"a\": Unschedulable: 0/3 nodes are available".
// Empty: it has, or nothing is known.
std::string WhyPodWaits(const manifest::Value& pod);

// The pods of the newest ReplicaSet and the others, by the label pod-template-hash.
struct PodGenerations {
  std::vector<const manifest::Value*> newest;
  std::vector<const manifest::Value*> earlier;
};
PodGenerations SplitPods(std::span<const manifest::Value* const> pods);

}  // namespace inferd::cluster
