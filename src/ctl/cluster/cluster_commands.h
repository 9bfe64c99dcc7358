#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/cluster/cluster_api.h"

// The subcommands of inferctl for objects, with kubectl's syntax. Each writes to `out`, and returns an error for the
// caller to print.

namespace inferd::ctl {

// Names of objects: "isvc", "isvc NAME...", "isvc/NAME...".
struct ObjectArguments {
  std::vector<std::string> words;
  std::string namespace_name = "default";
  bool all_namespaces = false;
  std::string selector;  // for labels
};

struct GetArguments {
  ObjectArguments objects;
  std::string output;  // "", wide, name, yaml, json
  bool watch = false;  // then print changes until the program is ended
};
base::Status GetObjects(ClusterApi& api, const GetArguments& arguments, std::ostream& out);
base::Status DescribeObjects(ClusterApi& api, const ObjectArguments& objects, std::ostream& out);

// Objects in files ("-" is standard input), and in the manifests of folders.
struct FileArguments {
  std::vector<std::string> files;
  std::string namespace_name = "default";  // for objects without a namespace
};
base::Status ApplyFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out);
base::Status DeleteFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out);
base::Status DeleteObjects(ClusterApi& api, const ObjectArguments& objects, bool all, std::ostream& out);

// Waits until every object has the condition ("condition=Ready"), or is gone ("delete"). DEADLINE_EXCEEDED after
// `timeout`.
base::Status WaitForObjects(ClusterApi& api, const ObjectArguments& objects, const std::string& what,
                            std::chrono::milliseconds timeout, std::ostream& out);

// Selects the log of a pod ("NAME"), or of all pods of a service ("isvc/NAME").
struct LogArguments {
  ObjectArguments objects;
  int64_t tail = -1;      // number of last lines; all if negative
  int64_t since_s = 0;    // only the last so many seconds; 0 for all
  bool previous = false;  // of the previous process
  bool follow = false;    // of one pod: then print new lines until it ends
};
base::Status ShowLogs(ClusterApi& api, const LogArguments& arguments, std::ostream& out);

// Controls the canary of a service. "status" waits until its newest revision serves, and prints the shares; "promote"
// gives that revision all requests; "undo" gives it none.
base::Status Rollout(ClusterApi& api, const std::string& what, const ObjectArguments& objects,
                     std::chrono::milliseconds timeout, std::ostream& out);

}  // namespace inferd::ctl
