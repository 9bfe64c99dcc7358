#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <string>

#include "base/status.h"
#include "ctl/request_headers.h"
#include "ctl/text/output.h"
#include "ctl/v2_server.h"
#include "net/client/http_client.h"

namespace inferd::ctl {

// A parsed command line: the options that all subcommands share, and the action of the chosen subcommand.
struct Command {
  std::ostream& out;
  std::ostream& err;
  net::HttpClient::Options connection{};
  std::string controller{};  // URL of inferd-controller's API; if empty, this user's controller on this machine
  HeaderArguments headers{};
  double timeout_s = 600;
  bool json = false;  // print JSON
  std::string settings_file{};

  std::string model{}, version{};                // of the request; may be empty
  std::function<base::Status(V2Server&)> run{};  // the action with a server
  // The action without a server, instead of `run`. Returns the exit status.
  std::function<base::Result<int>()> run_here{};

  Output output() const { return {out, json}; }
};

// Declares the subcommands. Parsing sets the action of `command`. Both must outlive `app`'s parse.
void AddSubcommands(CLI::App& app, Command& command);
// Declares the subcommands for new users, which need no server.
void AddSetupCommands(CLI::App& app, Command& command);
// Declares the subcommands that use Kubernetes' API.
void AddClusterCommands(CLI::App& app, Command& command);

}  // namespace inferd::ctl
