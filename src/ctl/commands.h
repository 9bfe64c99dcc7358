#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ctl/infer_codec.h"
#include "ctl/input_value.h"
#include "ctl/text/output.h"
#include "ctl/v2_server.h"

// What inferctl's subcommands do, once their command lines are read. Each writes its result to `out`, as text or JSON,
// and returns an error for the caller to print.

namespace inferd::ctl {

base::Status ShowStatus(V2Server& server, const Output& out);
// Every model's row of the index; or one model's inputs and outputs, if `model` is not empty.
base::Status ShowModels(V2Server& server, bool ready_only, const Output& out);
base::Status ShowModel(V2Server& server, const std::string& model, const std::string& version, const Output& out);
base::Status ShowConfig(V2Server& server, const std::string& model, const std::string& version, const Output& out);
// What GET v2/models/M/scheduler says, readably: how the model is scheduled, and its last executions.
base::Status ShowScheduler(V2Server& server, const std::string& model, const std::string& version, const Output& out);

struct LoadArguments {
  std::string model;
  std::string config_file;         // JSON, in place of the model's own; empty: none
  std::vector<std::string> files;  // "VERSION/PATH=LOCAL FILE"
};
base::Status Load(V2Server& server, const LoadArguments& arguments, const Output& out);
base::Status Unload(V2Server& server, const std::string& model, bool dependents, const Output& out);

struct InferArguments {
  InferOptions options;
  InputTexts inputs;
  std::string request_file;  // sent as it is, in place of the inputs
  size_t values_max = 16;    // of each output, in the table
};
base::Status Infer(V2Server& server, const InferArguments& arguments, const Output& out);

struct BenchArguments {
  InferOptions options;
  InputTexts inputs;
  std::string unix_socket;
  size_t connections = 1;
  size_t threads = 1;
  double rate = 0;  // 0: closed loop
  std::chrono::milliseconds warmup{1'000};
  std::chrono::milliseconds duration{5'000};
  int server_pid = 0;
  std::ostream* progress = nullptr;   // where to write how far it is, about once a second; null: nowhere
  bool progress_on_terminal = false;  // into one line, written over
};
// SIGINT ends it early: the report is then of what was measured, and CANCELLED is returned.
base::Status Bench(V2Server& server, const BenchArguments& arguments, const Output& out);

struct ValidateArguments {
  std::vector<std::string> paths;     // one repository or model file, or any number of manifests
  std::vector<std::string> runtimes;  // for manifests: files and folders with runtimes; none: the installation's
};
// Manifests are reviewed here (manifests/validate_manifests.h). On a repository or a model file, `inferd --dry-run` is
// run, which stands beside this program; as text, it writes to this process's standard output itself. The exit status.
base::Result<int> Validate(const ValidateArguments& arguments, const Output& out);

// The engines that `inferd --list-engines` finds in a folder (empty: the installation's own). The exit status.
base::Result<int> ShowEngines(const std::string& directory, const Output& out);

}  // namespace inferd::ctl
