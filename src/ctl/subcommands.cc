#include "ctl/subcommands.h"

#include <unistd.h>

#include <map>
#include <memory>
#include <string>

#include "ctl/commands.h"
#include "ctl/manifests/render_manifests.h"
#include "ctl/text/duration_option.h"

namespace inferd::ctl {

namespace {

using base::Status;

constexpr const char* kValues =
    "zeros, ones, range or random; JSON (5, [1,2], [[1],[2]]); @FILE.npy, @FILE.json, or @FILE for raw bytes";

// Adds MODEL and --version. Each subcommand has its own, and only the chosen subcommand's are read.
void AddModelArguments(CLI::App& sub, Command& command) {
  sub.add_option("MODEL", command.model, "The model's name")->required();
  sub.add_option("--version", command.version, "The model's version; the server chooses if it is left out");
}

void AddInputOptions(CLI::App& sub, InferOptions& options, InputTexts& inputs) {
  static const std::map<std::string, Wire> kWires = {{"json", Wire::kJson}, {"binary", Wire::kBinary}};
  sub.add_option("-i,--input", inputs.values, std::string("NAME=VALUE, once per input. VALUE: ") + kValues)
      ->allow_extra_args(false);
  sub.add_option("--shape", inputs.shapes, "NAME=D1,D2,...: for dimensions that the model leaves open")
      ->allow_extra_args(false);
  sub.add_option("--fill", inputs.fill, "zeros, ones, range or random, for the inputs not named")
      ->check(CLI::IsMember({"zeros", "ones", "range", "random"}));
  sub.add_option("--seed", inputs.seed, "Of random values: another number, other values")->capture_default_str();
  sub.add_option("--wire", options.wire, "How tensors travel: json or binary")
      ->transform(CLI::CheckedTransformer(kWires).description("{json,binary}"));
  sub.add_option("--output", options.outputs, "Ask for this output alone (may be repeated)")->allow_extra_args(false);
}

void AddReadingCommands(CLI::App& app, Command& command) {
  CLI::App* status = app.add_subcommand("status", "Whether the server is up, what it is, how many models it has");
  status->callback([&] { command.run = [&](V2Server& server) { return ShowStatus(server, command.output()); }; });

  auto ready_only = std::make_shared<bool>(false);
  CLI::App* models = app.add_subcommand("models", "All models and their states, or one model's inputs and outputs");
  models->add_option("MODEL", command.model, "One model");
  models->add_option("--version", command.version, "One version of it");
  models->add_flag("--ready", *ready_only, "Only what can serve");
  models->callback([&, ready_only] {
    command.run = [&, ready_only](V2Server& server) {
      return command.model.empty() ? ShowModels(server, *ready_only, command.output())
                                   : ShowModel(server, command.model, command.version, command.output());
    };
  });

  CLI::App* config = app.add_subcommand("config", "A model's completed configuration, as JSON");
  AddModelArguments(*config, command);
  config->callback([&] {
    command.run = [&](V2Server& server) {
      return ShowConfig(server, command.model, command.version, command.output());
    };
  });

  CLI::App* scheduler = app.add_subcommand("scheduler", "How a model's requests are batched and queued, and why");
  AddModelArguments(*scheduler, command);
  scheduler->callback([&] {
    command.run = [&](V2Server& server) {
      return ShowScheduler(server, command.model, command.version, command.output());
    };
  });
}

void AddControlCommands(CLI::App& app, Command& command) {
  auto load_arguments = std::make_shared<LoadArguments>();
  CLI::App* load = app.add_subcommand("load", "Load a model, or load it again");
  load->add_option("MODEL", command.model, "The model's name")->required();
  load->add_option("--config", load_arguments->config_file, "A configuration (JSON) in place of the model's own")
      ->check(CLI::ExistingFile);
  load->add_option("--file", load_arguments->files,
                   "VERSION/PATH=FILE: a model file in place of those in the repository")
      ->allow_extra_args(false);
  load->callback([&, a = load_arguments] {
    a->model = command.model;
    command.run = [&, a](V2Server& server) { return Load(server, *a, command.output()); };
  });

  auto dependents = std::make_shared<bool>(false);
  CLI::App* unload = app.add_subcommand("unload", "Unload a model");
  unload->add_option("MODEL", command.model, "The model's name")->required();
  unload->add_flag("--dependents", *dependents, "And the models that only it needs");
  unload->callback([&, dependents] {
    command.run = [&, dependents](V2Server& server) {
      return Unload(server, command.model, *dependents, command.output());
    };
  });
}

void AddRender(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<RenderArguments>();
  CLI::App* render =
      app.add_subcommand("render", "Print the objects that a cluster gets for InferenceServices, without a cluster");
  render
      ->add_option("-f,--filename", arguments->paths,
                   "Files or folders of InferenceServices, and of what the cluster has: runtimes, the configuration, "
                   "TrainedModels, Secrets, ServiceAccounts (may be repeated)")
      ->required()
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath);
  render
      ->add_option("--runtimes", arguments->runtimes,
                   "Files or folders with the ServingRuntimes that there are, in place of those of this installation "
                   "(may be repeated)")
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath);
  render->add_flag("--pod-webhook", arguments->pod_webhook,
                   "Leave it to the webhook to put containers into the pods of Knative's revisions");
  render->callback(
      [&, a = arguments] { command.run_here = [&, a] { return RenderManifests(*a, command.output(), command.err); }; });
}

// Adds the subcommands that need no server.
void AddLocalCommands(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* validate = app.add_subcommand(
      "validate", "Check a model repository, a model file, or manifests of InferenceServices, without a server");
  validate
      ->add_option("PATH", arguments->paths,
                   "The repository's folder, or a model file; or files of Kubernetes' objects (YAML, JSON)")
      ->required();
  validate
      ->add_option("--runtimes", arguments->runtimes,
                   "Files or folders with the ServingRuntimes that there are, in place of those of this installation "
                   "(may be repeated)")
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath);
  validate->callback([&, a = arguments] { command.run_here = [&, a] { return Validate(*a, command.output()); }; });

  AddRender(app, command);

  auto directory = std::make_shared<std::string>();
  CLI::App* engines =
      app.add_subcommand("engines", "Installed engines, the formats that they read, and what is missing");
  engines->add_option("--engine-directory", *directory, "Where their libraries are; else those of this installation")
      ->check(CLI::ExistingDirectory);
  engines->callback(
      [&, directory] { command.run_here = [&, directory] { return ShowEngines(*directory, command.output()); }; });
}

void AddInferCommand(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<InferArguments>();
  CLI::App* infer = app.add_subcommand("infer", "Send one inference request and show what comes back");
  AddModelArguments(*infer, command);
  AddInputOptions(*infer, arguments->options, arguments->inputs);
  infer->add_option("--request", arguments->request_file, "Send this JSON request as it is, in place of inputs")
      ->check(CLI::ExistingFile);
  infer->add_option("--id", arguments->options.id, "The request's id");
  infer->add_option("--classes", arguments->options.classes, "Show the N best classes, with labels where there are any")
      ->check(AboveZero());
  auto json = std::make_shared<bool>(false);
  infer->add_flag("--json", *json, "The same as -o json");
  infer->add_option("--values", arguments->values_max, "How many values of an output to show")->capture_default_str();
  infer->callback([&, a = arguments, json] {
    a->options.model = command.model;
    a->options.version = command.version;
    command.run = [&, a, json](V2Server& server) { return Infer(server, *a, {command.out, *json || command.json}); };
  });
}

void AddBenchCommand(CLI::App& app, Command& command) {
  struct Timed {
    BenchArguments bench;
    double duration_s = 5;
    double warmup_s = 1;
    bool progress = false;
  };
  auto arguments = std::make_shared<Timed>();
  BenchArguments& bench = arguments->bench;
  CLI::App* sub = app.add_subcommand("bench", "Send requests for a while and measure; inputs are random if not given");
  AddModelArguments(*sub, command);
  AddInputOptions(*sub, bench.options, bench.inputs);
  sub->add_option("-c,--connections", bench.connections, "Connections")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  sub->add_option("--rate", bench.rate, "Open loop: requests per second, whether or not answers come. Else closed loop")
      ->check(AboveZero());
  AddDuration(*sub, "--duration", arguments->duration_s, "Seconds to measure, or 500ms, 1m")
      ->check(AboveZero())
      ->capture_default_str();
  AddDuration(*sub, "--warmup", arguments->warmup_s, "Seconds before that")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub->add_option("--threads", bench.threads, "Threads to send from")->check(CLI::Range(1, 64))->capture_default_str();
  sub->add_option("--pid", bench.server_pid, "The server's process, on this machine: shows its CPU time per request")
      ->check(AboveZero());
  sub->add_flag("--progress", arguments->progress, "Write progress to standard error, also if that is no terminal");
  sub->callback([&, a = arguments] {
    a->bench.options.model = command.model;
    a->bench.options.version = command.version;
    command.run = [&, a](V2Server& server) {
      a->bench.unix_socket = command.connection.unix_socket;
      a->bench.duration = std::chrono::milliseconds(static_cast<int64_t>(a->duration_s * 1000));
      a->bench.warmup = std::chrono::milliseconds(static_cast<int64_t>(a->warmup_s * 1000));
      a->bench.progress_on_terminal = ::isatty(STDERR_FILENO) == 1;
      if (a->progress || a->bench.progress_on_terminal) a->bench.progress = &command.err;
      return Bench(server, a->bench, command.output());
    };
  });
}

}  // namespace

void AddSubcommands(CLI::App& app, Command& command) {
  AddSetupCommands(app, command);
  AddReadingCommands(app, command);
  AddInferCommand(app, command);
  AddControlCommands(app, command);
  AddLocalCommands(app, command);
  AddBenchCommand(app, command);
  AddClusterCommands(app, command);
}

}  // namespace inferd::ctl
