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

// What the command line says: what all subcommands share, and what the one that was named is to do.
struct Command {
  std::ostream& out;
  std::ostream& err;
  net::HttpClient::Options connection{};
  std::string controller{};  // the URL of inferd-controller's API; empty: that of this user's controller here
  HeaderArguments headers{};
  double timeout_s = 600;
  bool json = false;  // what is printed
  std::string settings_file{};

  std::string model{}, version{};                 // that are asked for; empty: none
  std::function<base::Status(V2Server&)> run{};   // with a server
  std::function<base::Result<int>()> run_here{};  // in place of `run`, without one: the exit status

  Output output() const { return {out, json}; }
};

// Declares the subcommands; when one is read, it sets what `command` is to do. Both outlive `app`'s parse.
void AddSubcommands(CLI::App& app, Command& command);
// Those of them that speak Kubernetes' API.
void AddClusterCommands(CLI::App& app, Command& command);

}  // namespace inferd::ctl
