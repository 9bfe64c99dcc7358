#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ctl/infer_codec.h"
#include "ctl/input_value.h"
#include "ctl/request_headers.h"
#include "ctl/text/output.h"
#include "ctl/v2_server.h"
#include "net/client/http_client.h"

// The subcommands of inferctl, with parsed arguments. Each writes its result to `out`, as text or JSON, and returns an
// error for the caller to print.

namespace inferd::ctl {

base::Status ShowStatus(V2Server& server, const Output& out);
// Shows the repository index, with one row per model. Shows the inputs and outputs of one model if `model` is not
// empty.
base::Status ShowModels(V2Server& server, bool ready_only, const Output& out);
base::Status ShowModel(V2Server& server, const std::string& model, const std::string& version, const Output& out);
base::Status ShowConfig(V2Server& server, const std::string& model, const std::string& version, const Output& out);
// Shows GET v2/models/M/scheduler: how the model is scheduled, and its last executions.
base::Status ShowScheduler(V2Server& server, const std::string& model, const std::string& version, const Output& out);

struct LoadArguments {
  std::string model;
  std::string config_file;         // JSON that replaces the model's own configuration; empty if none
  std::vector<std::string> files;  // "VERSION/PATH=LOCAL FILE"
};
base::Status Load(V2Server& server, const LoadArguments& arguments, const Output& out);
base::Status Unload(V2Server& server, const std::string& model, bool dependents, const Output& out);

struct InferArguments {
  InferOptions options;
  InputTexts inputs;
  std::string request_file;  // sent unchanged instead of inputs
  size_t values_max = 16;    // per output, in the table
};
base::Status Infer(V2Server& server, const InferArguments& arguments, const Output& out);

struct BenchArguments {
  InferOptions options;
  InputTexts inputs;
  std::string unix_socket;
  size_t connections = 1;
  size_t threads = 1;
  double rate = 0;  // 0 for a closed loop
  std::chrono::milliseconds warmup{1'000};
  std::chrono::milliseconds duration{5'000};
  int server_pid = 0;
  std::ostream* progress = nullptr;   // receives the progress about once a second; may be null
  bool progress_on_terminal = false;  // overwrite one line with it
};
// Runs a load. If SIGINT ends it early, the report covers the time until then, and CANCELLED is returned.
base::Status Bench(V2Server& server, const BenchArguments& arguments, const Output& out);

struct ValidateArguments {
  std::vector<std::string> paths;     // one repository or model file, or any number of manifests
  std::vector<std::string> runtimes;  // for manifests: files and folders with runtimes; if empty, the installation's
};
// Validates manifests in this process (manifests/validate_manifests.h). For a repository or a model file, runs `inferd
// --dry-run`, which must be installed beside this program; its text goes directly to this process's standard output.
// Returns the exit status.
base::Result<int> Validate(const ValidateArguments& arguments, const Output& out);

// Lists the engines that `inferd --list-engines` finds in a folder; an empty name means the installation's own. Returns
// the exit status.
base::Result<int> ShowEngines(const std::string& directory, const Output& out);

struct InitArguments {
  std::string name;                   // empty for the file's
  std::string path;                   // a model's file or folder
  std::string repository = "models";  // where the model's folder is made
  std::string version;                // a number, "next", or empty: 1 of a new model
  std::string configuration;          // a file that becomes the model's config.pbtxt; empty if none
  bool link = false;                  // make links in place of copies
  bool allow_pickle = false;          // inferd may read the model's pickles
  bool no_check = false;              // do not have inferd load the model
};
// Makes a model's folder in a repository for a model file, has inferd load it and answer a request, and prints what to
// type next. Nothing is left behind if it fails. Returns the exit status.
base::Result<int> Init(const InitArguments& arguments, const Output& out);

struct DoctorArguments {
  net::HttpClient::Options connection;  // of the server
  HeaderList headers;
  bool names_server = false;          // the person named the server, so that it must run
  std::string repository = "models";  // the folder of models
  bool names_repository = false;      // the person named it, so that it must exist
  uint16_t grpc_port = 8001;
  uint16_t metrics_port = 8002;
};
// Looks at what makes a server fail or slow on this machine, and at the server if one answers. Only for a server on
// another machine, looks at nothing of this one except the variables of proxies. Returns the exit status: 1 if
// something must be done.
base::Result<int> Doctor(const DoctorArguments& arguments, const Output& out);

struct ImportArguments {
  std::string server;  // one of ImportedServers()
  std::string folder;
  bool allow_pickle = false;  // inferd may read pickles in the folder
};
// Returns the names of the servers whose folders can be imported, sorted.
std::vector<std::string> ImportedServers();
// Reports which models of another server's folder inferd serves as they are, and what the others need. Changes nothing.
// Returns the exit status: 0 if all models work, 1 if not.
base::Result<int> Import(const ImportArguments& arguments, const Output& out);

}  // namespace inferd::ctl
