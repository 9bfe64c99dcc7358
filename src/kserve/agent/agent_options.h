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
  std::string url;  // of the sink; empty: nothing is logged
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

// The command line of inferd-agent and what of the environment counts, by the names that KServe's agent has.
struct AgentOptions {
  std::string address = "0.0.0.0";
  uint16_t port = 9081;
  uint16_t metrics_port = 9082;  // 0: none
  Component component;
  std::vector<std::string> command;   // that the model server is started with; empty: it runs already
  std::chrono::seconds timeout{300};  // for the component to begin its answer
  std::chrono::milliseconds drain_grace{1'000};
  std::chrono::seconds drain_timeout{30};
  std::string readiness_probe;      // JSON
  bool pass_control_calls = false;  // gateway::IsControlCall
  LoggerOptions logger;
  std::optional<PullerOptions> puller;  // none: models are not brought
  std::optional<BatchOptions> batcher;  // none: requests are not put together
};

}  // namespace inferd::agent
