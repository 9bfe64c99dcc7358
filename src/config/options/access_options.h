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

// Which clients may make control calls (load, unload, log and trace settings) of a group that no rule restricts.
enum class ControlFrom { kHere, kAnyone };

// Which clients may call what. HTTP's rules hold on its port and on that of metrics, gRPC's on every port that serves
// gRPC, those of tokens everywhere.
struct AccessOptions {
  std::vector<HeaderRule> http_rules;
  std::vector<HeaderRule> grpc_rules;
  std::vector<TokenRule> token_rules;
  ControlFrom control_from = ControlFrom::kHere;
};

}  // namespace inferd::config
