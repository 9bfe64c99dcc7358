#pragma once

#include <string>
#include <vector>

namespace inferd::config {

// Groups of endpoints that are restricted together. kMetrics is the page of metrics.
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

// Requires a header with a value for requests to these groups.
struct HeaderRule {
  std::vector<EndpointGroup> groups;
  std::string header;
  std::string value;
};

// Requires a bearer token from a file for requests to these groups.
struct TokenRule {
  std::vector<EndpointGroup> groups;  // if empty, all except health and metrics
  std::string file;
};

// The origins from which control calls (load, unload, log and trace settings) are accepted, for groups without a rule.
// Each value includes the earlier ones: Unix sockets; processes of this server's user and root on this machine; all
// processes on this machine. From other machines: load and unload by name; TensorFlow Serving's reload; everything
// except models that come with the call and run code; everything.
enum class ControlFrom { kSocket, kHere, kMachine, kNames, kReload, kModels, kAnyone };

// The access rules for clients. HTTP rules apply on its port and on the metrics port, gRPC rules on every port that
// serves gRPC, and token rules everywhere.
struct AccessOptions {
  std::vector<HeaderRule> http_rules;
  std::vector<HeaderRule> grpc_rules;
  std::vector<TokenRule> token_rules;
  ControlFrom control_from = ControlFrom::kHere;
};

}  // namespace inferd::config
