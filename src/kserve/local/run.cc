#include "kserve/local/run.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "base/system/end_signals.h"
#include "base/system/file_descriptor.h"
#include "base/version/version.h"
#include "kserve/cluster/cluster_controller.h"
#include "kserve/local/local_controller.h"

namespace inferd::local {

namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr const char* kFooter = R"(Examples:
  inferd-controller --local iris.yaml
  inferd-controller --cluster --kubeconfig ~/.kube/config
  inferd-controller --cluster --diff iris.yaml
  curl -H 'Host: iris-default.localhost' http://localhost:8080/v1/models/iris
  curl http://localhost:8080/serving/default/iris/v1/models/iris

  inferctl get inferenceservices
  export KUBECONFIG=...; kubectl get inferenceservices    (the line is printed at the start)

With --local, the files are applied again when they change, and Ctrl-C ends all that was started.)";

int RunLocal(LocalOptions options) {
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  LocalController controller(std::move(options), **logger);
  if (const base::Status started = controller.Start(); !started.ok()) {
    (*logger)->Error(started.message());
    return kExitFailed;
  }
  controller.Run(signals.get());
  (*logger)->Info("stopped");
  return 0;
}

// Adds the flags of --local except FILE. They are valid only with --local.
void AddLocal(CLI::App& all, CLI::Option* local, LocalOptions& options) {
  CLI::App& app = *all.add_option_group("On this machine");
  app.add_option("--runtimes", options.runtimes, "ServingRuntimes: files or folders, in place of those installed")
      ->check(CLI::ExistingPath);
  app.add_option("--http-address", options.address, "Where the gateway listens")->capture_default_str();
  app.add_option("--http-port", options.port, "0: any free one")->capture_default_str();
  app.add_option(
         "--api-address", options.api_address,
         "Where the API for kubectl and inferctl listens; it answers this user's processes on this machine that "
         "show its token")
      ->capture_default_str();
  app.add_option("--api-port", options.api_port, "0: any free one")->capture_default_str();
  app.add_flag("--pass-control-calls", options.pass_control_calls,
               "Clients may control replicas' repositories, logging, traces and shared memory through the gateway");
  app.add_option("--domain", options.domain, "Services are NAME-NAMESPACE.DOMAIN")->capture_default_str();
  app.add_option("--folder", options.folder,
                 "For models and objects, which are there again at the next start; a temporary one if it is left out");
  app.add_option("--replica-environment", options.replica_environment,
                 "NAME of a variable of the controller's that every replica gets, as it gets PATH, HOME, LANG and "
                 "TMPDIR; others only where a pod has them (may be repeated)")
      ->allow_extra_args(false);
  for (CLI::Option* option : app.get_options()) option->needs(local);
}

void AddCluster(CLI::App& all, CLI::Option* cluster, cluster::ClusterOptions& options) {
  CLI::App& app = *all.add_option_group("In a cluster");
  app.add_option("--kubeconfig", options.kubeconfig,
                 "How the cluster is reached; else $KUBECONFIG, the pod's service account, ~/.kube/config")
      ->check(CLI::ExistingFile);
  app.add_option("--context", options.context, "Of the kubeconfig; the current one if it is left out");
  app.add_option("--namespace", options.namespaces, "Which is looked after, of several each; all if it is left out")
      ->allow_extra_args(false);
  app.add_option("--controller-namespace", options.controller_namespace,
                 "Where inferenceservice-config and the Lease are; else $POD_NAMESPACE, then kserve");
  app.add_flag("--leader-elect", options.leader_elect,
               "Of several controllers, only the one that has the Lease writes");
  app.add_option("--health-port", options.health_port, "/healthz and /readyz; 0: none")->capture_default_str();
  app.add_option("--metrics-port", options.metrics_port, "/metrics; 0: none")->capture_default_str();
  app.add_option("--webhook-port", options.webhook_port, "Admission webhooks, by HTTPS; 0: none")
      ->capture_default_str();
  app.add_option("--webhook-name", options.webhook_name,
                 "Of the Mutating- and ValidatingWebhookConfiguration that lead here, and whose caBundle is kept; "
                 "without it, there "
                 "are no webhooks");
  app.add_option_function<uint32_t>(
         "--discover-every-s", [&options](uint32_t seconds) { options.discover_every = std::chrono::seconds(seconds); },
         "How often to look which APIs and which gateway the cluster has")
      ->check(CLI::Range(1, 3600))
      ->default_val(options.discover_every.count());
  app.add_option(
         "--change-at-once", options.pace.at_once,
         "How many services (or graphs) may get new pods or lose objects in the first minute, for one cause that "
         "is not a change of their own")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--change-share", options.pace.percent, "Likewise in percent of all, where that is more; 0: none")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_option("--change-per-minute", options.pace.per_minute, "Likewise in each minute after the first")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--diff", options.diff,
               "Print what would change in the cluster, for its InferenceServices or those of the files, and end");
  for (CLI::Option* option : app.get_options()) option->needs(cluster);
}

}  // namespace

int Run(int argc, char** argv) {
  CLI::App app(
      "InferenceServices (KServe): run on this machine, replicas as processes behind one gateway; or in a cluster of "
      "Kubernetes, as its Deployments and what belongs to them");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(base::BuildVersion()));
  bool local = false;
  bool cluster = false;
  CLI::Option* const local_flag = app.add_flag("--local", local, "Run those of manifests on this machine");
  CLI::Option* const cluster_flag = app.add_flag("--cluster", cluster, "Look after those of a cluster");
  cluster_flag->excludes(local_flag);
  std::vector<std::string> files;
  app.add_option("FILE", files, "Manifests: files, or folders of *.yaml, *.yml and *.json")->check(CLI::ExistingPath);
  LocalOptions local_options;
  AddLocal(app, local_flag, local_options);
  cluster::ClusterOptions cluster_options;
  AddCluster(app, cluster_flag, cluster_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (cluster) {
    cluster_options.files = std::move(files);
    return cluster::RunCluster(std::move(cluster_options));
  }
  if (!local) {
    std::cerr << "--local or --cluster is required\nRun with --help for more information.\n";
    return kExitUsage;
  }
  local_options.files = std::move(files);
  return RunLocal(std::move(local_options));
}

}  // namespace inferd::local
