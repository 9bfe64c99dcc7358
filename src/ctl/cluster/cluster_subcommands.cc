#include <memory>
#include <string>

#include "ctl/cluster/cluster_commands.h"
#include "ctl/cluster/controller_access.h"
#include "ctl/subcommands.h"
#include "ctl/text/duration_option.h"

namespace inferd::ctl {

namespace {

using Done = std::function<base::Status(ClusterApi&)>;

// Sets an action that uses the controller's API.
void RunWithCluster(Command& command, Done done) {
  command.run_here = [&command, done = std::move(done)]() -> base::Result<int> {
    ControllerAccess given{.connection = command.connection, .headers = {}};
    given.connection.timeout = std::chrono::milliseconds(static_cast<int64_t>(command.timeout_s * 1000));
    INFERD_ASSIGN_OR_RETURN(given.headers, MakeHeaders(command.headers));
    INFERD_ASSIGN_OR_RETURN(ControllerAccess access, FindController(command.controller, std::move(given)));
    INFERD_ASSIGN_OR_RETURN(ClusterApi api, ClusterApi::Open(std::move(access.connection), std::move(access.headers)));
    if (const base::Status status = done(api); !status.ok()) return std::unexpected(status);
    return 0;
  };
}

void AddObjectOptions(CLI::App& sub, ObjectArguments& objects, bool required) {
  sub.add_option("OBJECT", objects.words, "TYPE, TYPE NAME... or TYPE/NAME..., as isvc/iris")->required(required);
  sub.add_option("-n,--namespace", objects.namespace_name, "Of the objects")->capture_default_str();
}

void AddGet(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<GetArguments>();
  CLI::App* get = app.add_subcommand("get", "InferenceServices and other objects, as kubectl shows them");
  AddObjectOptions(*get, arguments->objects, true);
  get->add_flag("-A,--all-namespaces", arguments->objects.all_namespaces, "Of all namespaces");
  get->add_option("-l,--selector", arguments->objects.selector, "Those with these labels: a=b,c!=d,e in (f,g)");
  get->add_option("-o,--output", arguments->output, "wide, name, yaml or json")
      ->check(CLI::IsMember({"wide", "name", "yaml", "json"}));
  get->add_flag("-w,--watch", arguments->watch, "And what changes, until Ctrl-C");
  get->callback([&command, a = arguments] {
    RunWithCluster(command, [&command, a](ClusterApi& api) { return GetObjects(api, *a, command.out); });
  });

  auto described = std::make_shared<ObjectArguments>();
  CLI::App* describe = app.add_subcommand("describe", "Objects with their events");
  AddObjectOptions(*describe, *described, true);
  describe->callback([&command, a = described] {
    RunWithCluster(command, [&command, a](ClusterApi& api) { return DescribeObjects(api, *a, command.out); });
  });
}

void AddLogs(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<LogArguments>();
  CLI::App* logs = app.add_subcommand("logs", "What a replica has written: POD, or isvc/NAME for all of a service");
  AddObjectOptions(*logs, arguments->objects, true);
  logs->add_flag("-f,--follow", arguments->follow, "And what comes, until the replica ends; of one replica");
  logs->add_option("--tail", arguments->tail, "Lines of it; -1: all that are kept")->capture_default_str();
  AddDuration(*logs, "--since", arguments->since_s, "What was written since: 30s, 5m, 1h")->check(AboveZero());
  logs->add_flag("-p,--previous", arguments->previous, "Of the process before the one that runs");
  logs->callback([&command, a = arguments] {
    RunWithCluster(command, [&command, a](ClusterApi& api) { return ShowLogs(api, *a, command.out); });
  });
}

void AddChanges(CLI::App& app, Command& command) {
  auto applied = std::make_shared<FileArguments>();
  CLI::App* apply = app.add_subcommand("apply", "Make or change the objects of files (YAML, JSON)");
  apply->add_option("-f,--filename", applied->files, "Files or folders; - is standard input")
      ->required()
      ->allow_extra_args(false);
  apply->add_option("-n,--namespace", applied->namespace_name, "Of objects that name none")->capture_default_str();
  apply->callback([&command, a = applied] {
    RunWithCluster(command, [&command, a](ClusterApi& api) { return ApplyFiles(api, *a, command.out); });
  });

  struct Deleted {
    ObjectArguments objects;
    FileArguments files;
    bool all = false;
  };
  auto deleted = std::make_shared<Deleted>();
  CLI::App* remove = app.add_subcommand("delete", "Delete objects: those of files, or those that are named");
  AddObjectOptions(*remove, deleted->objects, false);
  remove->add_option("-f,--filename", deleted->files.files, "Files or folders; - is standard input")
      ->allow_extra_args(false);
  remove->add_option("-l,--selector", deleted->objects.selector, "Those with these labels");
  remove->add_flag("--all", deleted->all, "All of the type, in the namespace");
  remove->callback([&command, a = deleted] {
    a->files.namespace_name = a->objects.namespace_name;
    RunWithCluster(command, [&command, a](ClusterApi& api) {
      return a->files.files.empty() ? DeleteObjects(api, a->objects, a->all, command.out)
                                    : DeleteFiles(api, a->files, command.out);
    });
  });
}

std::chrono::milliseconds MillisecondsOf(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

void AddWaits(CLI::App& app, Command& command) {
  struct Waited {
    ObjectArguments objects;
    std::string what;
    double timeout_s = 30;
  };
  const auto add_timeout = [](CLI::App& sub, double& seconds) {
    AddDuration(sub, "--timeout", seconds, "How long to wait: 30s, 2m")->capture_default_str();
  };
  auto waited = std::make_shared<Waited>();
  CLI::App* wait = app.add_subcommand("wait", "Wait until objects are as they are to be");
  AddObjectOptions(*wait, waited->objects, true);
  wait->add_option("--for", waited->what, "condition=Ready, condition=Ready=False, delete")->required();
  add_timeout(*wait, waited->timeout_s);
  wait->callback([&command, a = waited] {
    RunWithCluster(command, [&command, a](ClusterApi& api) {
      return WaitForObjects(api, a->objects, a->what, MillisecondsOf(a->timeout_s), command.out);
    });
  });

  auto rolled = std::make_shared<Waited>();
  rolled->timeout_s = 300;
  CLI::App* rollout = app.add_subcommand("rollout", "The canary of a service: status, promote, undo");
  rollout
      ->add_option("WHAT", rolled->what, "status: wait for it, and show the shares; promote: all requests; undo: none")
      ->required()
      ->check(CLI::IsMember({"status", "promote", "undo"}));
  AddObjectOptions(*rollout, rolled->objects, true);
  add_timeout(*rollout, rolled->timeout_s);
  rollout->callback([&command, a = rolled] {
    RunWithCluster(command, [&command, a](ClusterApi& api) {
      return Rollout(api, a->what, a->objects, MillisecondsOf(a->timeout_s), command.out);
    });
  });
}

}  // namespace

void AddClusterCommands(CLI::App& app, Command& command) {
  AddChanges(app, command);
  AddGet(app, command);
  AddLogs(app, command);
  AddWaits(app, command);
}

}  // namespace inferd::ctl
