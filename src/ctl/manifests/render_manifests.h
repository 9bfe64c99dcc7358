#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/text/output.h"

namespace inferd::ctl {

struct RenderArguments {
  std::vector<std::string> paths;     // files and folders of objects
  std::vector<std::string> runtimes;  // that are known besides; none: those that are installed with this program
  bool pod_webhook = false;           // it puts into Knative's pods what else stands in their templates
};

// Writes the objects that a cluster would get for the InferenceServices of the files: YAML documents, or a List as
// JSON. The other objects of the files are those that the cluster has: runtimes, the configuration, TrainedModels,
// Secrets, ServiceAccounts. What does nothing is said to `notes`, a line each.
//
// Where an object has problems, or a service cannot be run, nothing is written but the problems, to `notes`: the exit
// status is 1. Errors: a file cannot be read.
base::Result<int> RenderManifests(const RenderArguments& arguments, const Output& out, std::ostream& notes);

}  // namespace inferd::ctl
