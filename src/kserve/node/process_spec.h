#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/node/pod_data.h"
#include "kserve/node/pod_volumes.h"
#include "kserve/node/probe/readiness_probe.h"
#include "kserve/node/resources/container_resources.h"

namespace inferd::node {

// A process of this machine that runs a pod's serving container.
struct ProcessSpec {
  std::string program;                   // a path, or a name to find in PATH
  std::vector<std::string> arguments;    // without the program
  std::vector<std::string> environment;  // "NAME=VALUE"; the complete environment, without the controller's
  uint16_t port = 0;                     // local port for requests
  uint16_t grpc_port = 0;                // local port for gRPC calls; equal to `port` if it has no other
  ReadinessProbe probe = {};             // decides when it is ready
  // Paths of the Unix sockets for HTTP and gRPC. If empty, it listens on its ports.
  std::string http_socket = {};
  std::string grpc_socket = {};
  std::string model_address = {};     // where the controller asks inferd for its models; if empty, it does not
  ContainerResources resources = {};  // the limits to enforce
  std::chrono::seconds grace{30};     // time to end after SIGTERM (Kubernetes: terminationGracePeriodSeconds)

  // Return addresses in the form of net::upstream::Address: "127.0.0.1:40001",
  // "unix:/tmp/inferd-sockets.Xq3b7T/4.http".
  std::string http_address() const;
  std::string grpc_address() const;
  std::string probe_address() const;
};

// The environment of a pod on this machine.
struct PodPlace {
  std::string pod_name = {};
  FindData find = nullptr;           // finds the objects that its variables refer to
  std::vector<PathMove> moves = {};  // its volumes, and /mnt/models if it has a model
  // Returns an unused local port for a container's port. RESOURCE_EXHAUSTED if there is none.
  std::function<base::Result<uint16_t>()> take_port;
};

// Converts a container, which Kubernetes would run alone, to a process that runs beside others:
//
// - `command` and `args` become the program and its arguments. $(NAME) is replaced by the container's variables, and
//   $$( by $( (Kubernetes: Container).
// - Variables are those of ContainerVariables.
// - In arguments and variables, /mnt/models and mounted paths are replaced by their local folders.
// - Numbers in arguments whose name ends with the word "port" are replaced by local ports: --http_port=8080, or
//   --http-port 8080. The same number always gives the same port. Requests go to the local port for the container's
//   first port (8080 if it has none). The variable PORT and $(PORT) have it too (Knative: runtime contract), whatever
//   the container's own variable PORT says.
//
// The port for gRPC calls comes from an argument whose name contains "grpc" and ends with the word "port", from --port
// beside --rest_api_port (TensorFlow Serving), or from the container's port called grpc or h2c.
//
// INVALID_ARGUMENT, with the field, if the container has no command. Also the errors of ContainerVariables.
base::Result<ProcessSpec> MakeProcess(const model::ResolvedPod& pod, const PodPlace& place);

// Returns true if the process is inferd and nothing needs its ports: it has no probe command, and no argument that
// names a Unix socket.
bool CanListenOnSockets(const ProcessSpec& spec);

// Makes inferd listen on Unix sockets for this process only, instead of ports. The sockets' paths begin with `path`.
// Overrides the container's own variables for this.
void ListenOnSockets(const std::string& path, ProcessSpec& spec);

}  // namespace inferd::node
