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

// A pod's serving container as a process of this machine.
struct ProcessSpec {
  std::string program;                   // a path, or a name to be looked for in PATH
  std::vector<std::string> arguments;    // without the program
  std::vector<std::string> environment;  // "NAME=VALUE": all that it has, none of the controller's own
  uint16_t port = 0;                     // of this machine, for requests
  uint16_t grpc_port = 0;                // likewise, for calls of gRPC; the same one, where it says no other
  ReadinessProbe probe = {};             // whether it is ready
  // Paths of Unix sockets where it takes HTTP and calls of gRPC; empty: it takes them at its ports.
  std::string http_socket = {};
  std::string grpc_socket = {};
  std::string model_address = {};     // where the controller asks inferd for its models; empty: it does not
  ContainerResources resources = {};  // that it is to be held to
  std::chrono::seconds grace{30};     // to end in when it is asked to (Kubernetes: terminationGracePeriodSeconds)

  // As net::upstream::Address has them: "127.0.0.1:40001", "unix:/tmp/inferd-sockets.Xq3b7T/4.http".
  std::string http_address() const;
  std::string grpc_address() const;
  std::string probe_address() const;
};

// Where a pod runs here.
struct PodPlace {
  std::string pod_name = {};
  FindData find = nullptr;           // what its variables refer to
  std::vector<PathMove> moves = {};  // its volumes, and /mnt/models, if it has a model
  // A port of this machine that is not in use, for one of the container's. RESOURCE_EXHAUSTED: there is none.
  std::function<base::Result<uint16_t>()> take_port;
};

// A container that would run by itself on Kubernetes, made to run beside others:
//
// - `command` and `args`, with $(NAME) replaced by the container's variables, $$( being $( (Kubernetes: Container);
// - variables as ContainerVariables has them;
// - paths that begin with /mnt/models, or where a volume is mounted, lead to its folder, in arguments and variables;
// - numbers that an argument gives whose name has "port" as its last word become ports of this machine, the same for
// the
//   same number: --http_port=8080, or --http-port 8080. Requests go to that of the container's first port, 8080 where
//   it names none; PORT has it too (Knative: runtime contract).
//
// Calls of gRPC go to the port of an argument whose name has "grpc" in it and "port" as its last word, of --port beside
// --rest_api_port (TensorFlow Serving's), or of the container's port that is called grpc or h2c.
//
// INVALID_ARGUMENT, with the field: the container has no command; and the errors of ContainerVariables.
base::Result<ProcessSpec> MakeProcess(const model::ResolvedPod& pod, const PodPlace& place);

// Returns true if the process is inferd and nothing asks for its ports: no command of a probe, and no argument that
// names a Unix socket.
bool CanListenOnSockets(const ProcessSpec& spec);

// Makes inferd open no ports, and listen on Unix sockets whose paths begin with `path` for this process alone. What the
// container's variables say of that does not count.
void ListenOnSockets(const std::string& path, ProcessSpec& spec);

}  // namespace inferd::node
