#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/cluster/cluster_api.h"

// What inferctl's subcommands do with objects, in kubectl's habits. Each writes to `out`, and returns an error for the
// caller to print.

namespace inferd::ctl {

// Which objects are meant: "isvc", "isvc NAME...", "isvc/NAME...".
struct ObjectArguments {
  std::vector<std::string> words;
  std::string namespace_name = "default";
  bool all_namespaces = false;
  std::string selector;  // of labels
};

struct GetArguments {
  ObjectArguments objects;
  std::string output;  // "", wide, name, yaml, json
  bool watch = false;  // and then what changes, until the program is ended
};
base::Status GetObjects(ClusterApi& api, const GetArguments& arguments, std::ostream& out);
base::Status DescribeObjects(ClusterApi& api, const ObjectArguments& objects, std::ostream& out);

// The objects of files ("-": of standard input) and of folders' manifests.
struct FileArguments {
  std::vector<std::string> files;
  std::string namespace_name = "default";  // of objects that name none
};
base::Status ApplyFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out);
base::Status DeleteFiles(ClusterApi& api, const FileArguments& arguments, std::ostream& out);
base::Status DeleteObjects(ClusterApi& api, const ObjectArguments& objects, bool all, std::ostream& out);

// Until each of them has the condition ("condition=Ready"), or is gone ("delete"). DEADLINE_EXCEEDED.
base::Status WaitForObjects(ClusterApi& api, const ObjectArguments& objects, const std::string& what,
                            std::chrono::milliseconds timeout, std::ostream& out);

// What a pod ("NAME"), or each of a service ("isvc/NAME"), has written.
struct LogArguments {
  ObjectArguments objects;
  int64_t tail = -1;      // lines; negative: all
  int64_t since_s = 0;    // of the last so many seconds; 0: all
  bool previous = false;  // of the process before
  bool follow = false;    // of one pod, and then what comes, until it ends
};
base::Status ShowLogs(ClusterApi& api, const LogArguments& arguments, std::ostream& out);

// The canary of a service: "status" waits until its newest revision serves, and says which shares there are; "promote"
// gives it all requests; "undo" takes them away from it.
base::Status Rollout(ClusterApi& api, const std::string& what, const ObjectArguments& objects,
                     std::chrono::milliseconds timeout, std::ostream& out);

}  // namespace inferd::ctl
