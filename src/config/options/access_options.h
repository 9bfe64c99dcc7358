#pragma once

#include <string>
#include <vector>

namespace inferd::config {

// What can be restricted together. kMetrics is the page of metrics.
enum class EndpointGroup {
  kHealth,
  kMetadata,
  kInference,
  kSharedMemory,
  kModelConfig,
  kModelRepository,
  kStatistics,
  kTrace,
  kLogging,
  kMetrics,
};

// Requests to these groups must have that header with that value.
struct HeaderRule {
  std::vector<EndpointGroup> groups;
  std::string header;
  std::string value;
};

// Requests to these groups must have a bearer token of that file.
struct TokenRule {
  std::vector<EndpointGroup> groups;  // empty: all but health and metrics
  std::string file;
};

// From whom control calls (load, unload, log and trace settings) of a group that no rule restricts are taken: over Unix
// sockets; from processes of this server's user and root on this machine, too; from any on this machine; and from
// others load and unload by name, TensorFlow Serving's reload, all but models that come with the call and run code, or
// all.
enum class ControlFrom { kSocket, kHere, kMachine, kNames, kReload, kModels, kAnyone };

// Which clients may call what. HTTP's rules hold on its port and on that of metrics, gRPC's on every port that serves
// gRPC, those of tokens everywhere.
struct AccessOptions {
  std::vector<HeaderRule> http_rules;
  std::vector<HeaderRule> grpc_rules;
  std::vector<TokenRule> token_rules;
  ControlFrom control_from = ControlFrom::kHere;
};

}  // namespace inferd::config
