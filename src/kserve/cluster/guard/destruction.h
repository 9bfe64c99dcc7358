#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kserve/cluster/guard/change_cause.h"
#include "kserve/cluster/objects/object_set.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::cluster {

// A component whose revisions are separate Deployments. A new revision replaces the older ones without this guard.
struct RevisedComponent {
  std::string name;            // "iris-predictor-default"
  std::string new_revision{};  // replaces a live revision; empty if no revision is created
};

// The destructive part of a change of an owner's objects: pods that are replaced, and objects that are deleted.
struct Destruction {
  std::vector<std::string> rolled{};  // "Deployment \"iris-predictor-default\""
  std::vector<std::string> lost{};    // "Ingress \"iris\""
  WrittenBefore before{};             // about the objects of both lists

  bool empty() const { return rolled.empty() && lost.empty(); }
  // Returns for example "starts new pods of Deployment \"a\" and deletes Ingress \"b\"".
  std::string ToString() const;
};

// Finds the destructive part of a change. New objects are not destructive, nor are changes that keep the pod templates,
// nor the removal of an earlier owner's objects. If a field that is no longer wanted may be removed, a dry run asks the
// server for the result. A refused dry run counts as a new template. Returns an error if the server gave no usable
// answer: the caller must retry. Thread-safe; may block.
kubernetes::ApiResult<Destruction> FindDestruction(const ObjectSet& set, std::span<const RevisedComponent> revised,
                                                   kubernetes::Client& client, const std::stop_token& stop);

}  // namespace inferd::cluster
