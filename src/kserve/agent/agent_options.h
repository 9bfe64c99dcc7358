#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kserve/agent/batcher/batch_options.h"
#include "kserve/agent/puller/component.h"
#include "kserve/agent/puller/puller.h"
#include "net/payloadlog/payload.h"

namespace inferd::agent {

struct LoggerOptions {
  std::string url;  // of the log's receiver; logging is off if empty
  payloadlog::LogMode mode = payloadlog::LogMode::kAll;
  size_t workers = 5;
  size_t payloads_max = 4096;
  uint64_t bytes_max = uint64_t{64} << 20;
  std::string source = "http://localhost:9081/";
  std::string inference_service;
  std::string namespace_name;
  std::string component;
  std::string endpoint;
};

// The options of inferd-agent, from its command line and its environment, named as in KServe's agent.
struct AgentOptions {
  std::string address = "0.0.0.0";
  uint16_t port = 9081;
  uint16_t metrics_port = 9082;  // disabled if 0
  Component component;
  std::vector<std::string> command;   // starts the model server; empty if it runs already
  std::chrono::seconds timeout{300};  // until the component begins its response
  std::chrono::milliseconds drain_grace{1'000};
  std::chrono::seconds drain_timeout{30};
  std::string readiness_probe;      // JSON
  bool pass_control_calls = false;  // gateway::IsControlCall
  LoggerOptions logger;
  std::optional<PullerOptions> puller;  // nullopt if models are not pulled
  std::optional<BatchOptions> batcher;  // nullopt if requests are not batched
};

}  // namespace inferd::agent
