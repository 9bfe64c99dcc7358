#include "ctl/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/nearest_name.h"
#include "base/version/version.h"
#include "ctl/commands.h"
#include "ctl/settings.h"
#include "ctl/subcommands.h"
#include "ctl/text/duration_option.h"

namespace inferd::ctl {

namespace {

using base::Status;
using base::StatusCode;

constexpr int kExitRefused = 1;
constexpr int kExitUsage = 2;
constexpr int kExitUnreachable = 3;
constexpr int kExitInterrupted = 130;  // the status that shells use after SIGINT

constexpr const char* kExamples = R"(Examples:
  inferctl init model.onnx                          a folder of models to serve
  inferctl doctor                                   why a server fails or is slow
  inferctl import triton /models                    what of another server's folder works with inferd
  inferctl status
  inferctl models                                   every model and its state
  inferctl models simple                            one model's inputs and outputs
  inferctl infer simple --input INPUT0=range --input INPUT1=ones
  inferctl infer digits --input image=@digit.npy --classes 3
  inferctl infer simple --request examples/requests/simple.json -o json
  inferctl load simple
  inferctl bench simple -c 4 --duration 10 --pid $(pidof inferd)
  inferctl apply -f service.yaml                    InferenceServices, by inferd-controller
  inferctl get isvc -w
  inferctl wait isvc/digits --for=condition=Ready
  inferctl bench simple --rate 2000 -c 16 --wire binary

A server elsewhere: --url http://HOST:PORT. What is not on the command line is looked up in the environment, an option
--NAME as INFERCTL_NAME (INFERCTL_URL, INFERCTL_TOKEN), and then in ~/.config/inferctl.toml, as NAME = VALUE.)";

void AddConnectionOptions(CLI::App& app, Command& command) {
  net::HttpClient::Options& connection = command.connection;
  app.add_option("-u,--url", connection.url, "The server's HTTP address")->capture_default_str();
  app.add_option(
      "--controller", command.controller,
      "The URL of inferd-controller's API, for InferenceServices; left out: the controller of this user that "
      "serves on this machine");
  app.add_option("--unix-socket", connection.unix_socket, "Connect to this socket instead of the URL's host");
  AddDuration(app, "--timeout", command.timeout_s, "Seconds that one call may take, or 500ms, 5m")
      ->check(AboveZero())
      ->capture_default_str();
  app.add_flag("--http2", connection.http2, "Speak HTTP/2");
  app.add_option("--ca,--ca-file", connection.ca_file, "Certificates (PEM) that the server's must be signed by")
      ->check(CLI::ExistingFile);
  app.add_option("--cert", connection.certificate_file, "A client certificate (PEM)")->check(CLI::ExistingFile);
  app.add_option("--key", connection.key_file, "Its key (PEM)")->check(CLI::ExistingFile);
  app.add_option("-H,--header", command.headers.headers, "NAME: VALUE, carried by every request (may be repeated)")
      ->allow_extra_args(false);
  app.add_option("--token", command.headers.token, "The bearer token that every request carries");
  app.add_option("--token-file", command.headers.token_file, "A file that has it, so that no process list shows it")
      ->check(CLI::ExistingFile);
  app.add_flag("--insecure", connection.insecure, "Do not check the server's certificate");
  app.add_option_function<std::string>(
         "-o,--format", [&command](const std::string& format) { command.json = format == "json"; },
         "What is printed: text, or JSON for programs")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--settings", command.settings_file, "A file with these options, NAME = VALUE each")
      ->envname("INFERCTL_SETTINGS")
      ->configurable(false);
}

void AddLongNames(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
}

// Returns the command line's unknown option or subcommand, with a suggestion. Empty if there is none.
std::string WrongName(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  const auto selected = app.get_subcommands();
  const auto option = std::ranges::find_if(
      extras, [](const std::string& extra) { return extra.starts_with("--") && extra.size() > 2; });
  if (option != extras.end()) {
    std::vector<std::string> names;
    for (const CLI::App* sub : selected) AddLongNames(*sub, names);
    AddLongNames(app, names);
    const std::string name = option->substr(2, option->find('=') - 2);
    return "there is no option '--" + name + "'" + base::SuggestName(name, names, "--");
  }
  const auto command = std::ranges::find_if(extras, [](const std::string& extra) { return !extra.starts_with('-'); });
  if (!selected.empty() || command == extras.end()) return "";
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return "there is no command '" + *command + "'" + base::SuggestName(*command, names);
}

int ReportUsage(const CLI::App& app, const CLI::ParseError& error, std::ostream& out, std::ostream& err) {
  // CLI11 reads a misspelled subcommand or option as an extra argument, or reports a missing one.
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const bool may_be_name = code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError;
  const std::string wrong = may_be_name ? WrongName(app) : "";
  if (wrong.empty()) return app.exit(error, out, err) == 0 ? 0 : kExitUsage;
  err << "inferctl: " << wrong << "\nRun with --help for more information.\n";
  return kExitUsage;
}

// Appends the name of a similar model to an error about an unknown model.
Status WithModelSuggestion(V2Server& server, const std::string& model, Status error) {
  const bool unknown = error.code() == StatusCode::kNotFound || error.code() == StatusCode::kInvalidArgument;
  if (model.empty() || !unknown) return error;
  const auto rows = server.Index(false);
  if (!rows.has_value()) return error;
  std::vector<std::string> names;
  for (const IndexRow& row : *rows) names.push_back(row.name);
  if (std::ranges::find(names, model) != names.end()) return error;
  return {error.code(), error.message() + base::SuggestName(model, names)};
}

int Report(const Status& status, std::ostream& err) {
  if (status.ok()) return 0;
  err << "inferctl: " << status.message() << "\n";
  switch (status.code()) {
    case StatusCode::kUnavailable: return kExitUnreachable;
    case StatusCode::kCancelled: return kExitInterrupted;
    default: return kExitRefused;
  }
}

// Fills in options from the environment and the settings file.
Status CompleteOptions(CLI::App& app, Command& command) {
  const bool named = app.count("--settings") > 0;
  const std::string file = named ? command.settings_file : DefaultSettingsFile();
  INFERD_RETURN_IF_ERROR(ApplySettings(app, file, named, command.err));
  if (!command.headers.token_file.empty()) WarnIfReadableByAnyone(command.headers.token_file, command.err);
  return base::OkStatus();
}

int Run(Command& command) {
  if (command.run_here != nullptr) {
    const auto exit_status = command.run_here();
    return exit_status.has_value() ? *exit_status : Report(exit_status.error(), command.err);
  }
  command.connection.timeout = std::chrono::milliseconds(static_cast<int64_t>(command.timeout_s * 1000));
  auto headers = MakeHeaders(command.headers);
  if (!headers.has_value()) return Report(headers.error(), command.err), kExitUsage;
  auto server = V2Server::Open(command.connection, *std::move(headers));
  if (!server.has_value()) return Report(server.error(), command.err), kExitUsage;
  return Report(WithModelSuggestion(*server, command.model, command.run(*server)), command.err);
}

}  // namespace

int RunInferctl(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  CLI::App app("Command-line client for inferd: query, control and benchmark a server, and manage InferenceServices.",
               "inferctl");
  app.require_subcommand(1);
  app.set_version_flag("--version", "inferctl " + std::string(base::BuildVersion()));
  app.fallthrough();  // connection options may follow the subcommand
  app.get_formatter()->column_width(34);
  Command command{.out = out, .err = err};
  AddConnectionOptions(app, command);
  AddSubcommands(app, command);
  app.footer(kExamples);  // set after the subcommands exist, so that they do not inherit it
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ReportUsage(app, error, out, err);
  }
  if (const Status status = CompleteOptions(app, command); !status.ok()) return Report(status, err), kExitUsage;
  return Run(command);
}

}  // namespace inferd::ctl
