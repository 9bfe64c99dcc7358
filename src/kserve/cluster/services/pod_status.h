#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/kubernetes/watch/object_cache.h"
#include "kserve/model/status/replica_status.h"

namespace inferd::cluster {

// Reads a pod's state for the status of its service (KServe 0.10: the input of status.modelStatus). A failure of the
// storage initializer takes precedence over one of the server. A container that waits for a reason that needs an
// operator (ImagePullBackOff, CrashLoopBackOff, ...) counts as failed. If a container left a message, that is the
// failure's text. Thread-safe, like the other functions of this file.
model::ReplicaStatus ReadPodStatus(const manifest::Value& pod);

// Returns why a pod has not been scheduled: "pod \"a\": Unschedulable: 0/3 nodes are available". Empty if it has been,
// or if nothing is known.
std::string WhyPodWaits(const manifest::Value& pod);

// The pods of the newest ReplicaSet and the others, by the label pod-template-hash. The newest ReplicaSet is the one of
// the pod that was created last.
struct PodGenerations {
  std::vector<const manifest::Value*> newest;
  std::vector<const manifest::Value*> earlier;
};
PodGenerations SplitPods(std::span<const manifest::Value* const> pods);

}  // namespace inferd::cluster
