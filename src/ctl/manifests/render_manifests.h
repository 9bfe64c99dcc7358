#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/text/output.h"

namespace inferd::ctl {

struct RenderArguments {
  std::vector<std::string> paths;     // files and folders of objects
  std::vector<std::string> runtimes;  // additional runtimes; if empty, those installed with this program
  bool pod_webhook = false;           // a webhook completes the pods of Knative's templates
};

// Writes the objects that a cluster would have for the InferenceServices of the files: YAML documents, or a List as
// JSON. The other objects of the files are treated as existing ones: runtimes, the configuration, TrainedModels,
// Secrets, ServiceAccounts. Fields without an effect are reported to `notes`, one per line.
//
// If an object has problems, or a service cannot run, only the problems are written, to `notes`, and the exit status is
// 1. Returns an error if a file cannot be read.
base::Result<int> RenderManifests(const RenderArguments& arguments, const Output& out, std::ostream& notes);

}  // namespace inferd::ctl
