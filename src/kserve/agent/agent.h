#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string_view>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "kserve/agent/agent_options.h"
#include "kserve/agent/puller/puller.h"
#include "kserve/agent/ready/readiness_probe.h"
#include "kserve/gateway/gateway.h"
#include "net/loop_group.h"
#include "net/payloadlog/payload_log.h"
#include "net/server.h"

namespace inferd::agent {

// A proxy in front of a model server. It forwards requests, and applies the enabled options to them.
//
//   Start() -> serving -> Drain() -> destructor
//
// The caller must use one thread for all methods.
class Agent final {
 public:
  // Starts the agent. With a puller, it opens its listeners after each model of the first list was tried once.
  // INVALID_ARGUMENT if an option is invalid; ALREADY_EXISTS if a port is in use; CANCELLED if `stop` was requested
  // before.
  static base::Result<std::unique_ptr<Agent>> Start(AgentOptions options, base::Logger& logger,
                                                    const std::stop_token& stop = {});
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Returns the port of a listener, "http" or "metrics".
  uint16_t port(std::string_view listener) const { return server_.port(listener); }

  // Reports "not ready", but accepts requests for the grace time. Then answers those that have arrived, within the
  // drain timeout. The destructor sends the remaining log entries.
  void Drain();

 private:
  Agent(AgentOptions options, net::upstream::Address component, ReadinessProbe probe, base::Logger& logger);

  base::Status Listen();
  net::HandlerFactory Handlers();
  void RouteToComponent();

  const AgentOptions options_;
  const net::upstream::Address component_;
  const ReadinessProbe probe_;
  base::Logger& logger_;
  metrics::Registry registry_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<payloadlog::PayloadLog> log_;  // null if logging is off
  std::unique_ptr<Puller> puller_;               // null if models are not pulled
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::Server server_;
};

}  // namespace inferd::agent
