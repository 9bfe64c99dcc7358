#include "kserve/clustergateway/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

#include "base/system/regular_file.h"
#include "base/version/version.h"

namespace inferd::clustergateway {

namespace {

constexpr size_t kGraphBytesMax = 4 << 20;

constexpr const char* kFooter = R"(Examples:
  inferd-gateway --cluster
  inferd-gateway --graph-json '{"nodes":{"root":{"routerType":"Sequence","steps":[
    {"serviceUrl":"http://iris.default.svc.cluster.local/v1/models/iris:predict"}]}}}'

PROPAGATE_HEADERS: patterns of header fields that go on from a request of a graph to its steps, with commas between them. POD_NAME, POD_NAMESPACE: the pod that this is.)";

std::vector<std::string> Parts(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    std::string_view part = list.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

void AddCluster(CLI::App& app, CLI::Option* cluster, ClusterGatewayOptions& options) {
  constexpr const char* kGroup = "Of --cluster";
  const auto add = [&](const char* name, auto& value, const char* description) {
    return app.add_option(name, value, description)->group(kGroup)->needs(cluster);
  };
  add("--kubeconfig", options.access.kubeconfig, "How the cluster is reached; else $KUBECONFIG, or as this pod");
  add("--context", options.access.context, "Of the kubeconfig; else its current one");
  add("--namespace", options.namespaces, "Whose services it serves; may be repeated; all if it is left out");
  add("--gateway-namespace", options.own_namespace,
      "Of the gateways, their Lease and inferenceservice-config; else $POD_NAMESPACE, or kserve");
  add("--service", options.own_service, "By whose EndpointSlices gateways find each other")->capture_default_str();
  add("--identity", options.identity, "Of this process alone; else $POD_NAME");
  add("--status-port", options.status_port, "Of /healthz, /readyz, /metrics and /load; 0: any free port")
      ->capture_default_str();
  add("--endpoint-address", options.endpoint_address,
      "Where all pods are, in place of their own addresses: of clusters whose pods are processes of one machine");
  app.add_flag("--pass-control-calls", options.pass_control_calls,
               "Clients may control pods' repositories, logging, traces and shared memory through the gateway")
      ->group(kGroup)
      ->needs(cluster);
  app.add_option_function<int64_t>(
         "--lease-time-s", [&options](int64_t time) { options.lease_time = std::chrono::seconds(time); },
         "Without a sign of the gateway that leads, after which another does")
      ->check(CLI::Range(2, 3600))
      ->default_str("15")
      ->group(kGroup)
      ->needs(cluster);
}

std::string HostIdentity() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  return std::string(name.data()) + "-" + std::to_string(getpid());
}

void Complete(ClusterGatewayOptions& options, const std::function<std::string(const std::string&)>& environment) {
  const auto complete = [&](std::string& value, const char* variable, const std::string& otherwise) {
    if (value.empty()) value = environment(variable);
    if (value.empty()) value = otherwise;
  };
  complete(options.own_namespace, "POD_NAMESPACE", "kserve");
  complete(options.identity, "POD_NAME", HostIdentity());
}

int Fault(const std::string& text) {
  std::cerr << "inferd-gateway: " << text << "\n";
  return kExitUsage;
}

}  // namespace

ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const std::string&)>& environment) {
  ParsedCommandLine parsed;
  GraphRouterOptions& router = parsed.router;
  CLI::App app(
      "Requests in a cluster: the gateway of InferenceServices where there is no Knative, or the router of one "
      "InferenceGraph, as KServe's");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(base::BuildVersion()));
  bool is_gateway = false;
  ClusterGatewayOptions cluster;
  cluster.own_namespace.clear();
  CLI::Option* const flag =
      app.add_flag("--cluster", is_gateway, "Serve the InferenceServices of a cluster, and scale their revisions");
  std::string graph_file;
  CLI::Option* const json =
      app.add_option("--graph-json", router.graph, "Serve a graph: an InferenceGraph's spec, as JSON")->excludes(flag);
  CLI::Option* const file =
      app.add_option("--graph-file", graph_file, "The same in a file")->excludes(json)->excludes(flag);
  AddCluster(app, flag, cluster);
  app.add_option("--address", router.address, "Where it listens")->capture_default_str();
  app.add_option("--port", router.port, "Where it listens; 0: any free port")->capture_default_str();
  std::optional<int64_t> grace_ms;
  app.add_option("--drain-grace-ms", grace_ms,
                 "After SIGTERM: not ready, but still accepting; 5000 of --cluster, 1000 of a graph")
      ->check(CLI::Range(0, 3'600'000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.exit_status = app.exit(error) == 0 ? 0 : kExitUsage;
    return parsed;
  }
  if (grace_ms.has_value()) router.drain_grace = cluster.drain_grace = std::chrono::milliseconds(*grace_ms);
  if (is_gateway) {
    cluster.address = router.address;
    cluster.port = router.port;
    Complete(cluster, environment);
    parsed.cluster = std::move(cluster);
    return parsed;
  }
  router.propagated = Parts(environment("PROPAGATE_HEADERS"));
  if (*file) {
    auto text = base::ReadRegularFile(graph_file, kGraphBytesMax);
    if (!text.has_value()) {
      parsed.exit_status = Fault("--graph-file: " + std::string(text.error().message()));
      return parsed;
    }
    router.graph = *std::move(text);
  } else if (!*json) {
    parsed.exit_status = Fault("one of --cluster, --graph-json and --graph-file is required");
  }
  return parsed;
}

}  // namespace inferd::clustergateway
