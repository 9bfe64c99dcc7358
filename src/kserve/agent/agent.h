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

// What stands in front of a model server: requests pass to it, and what the options ask for happens on their way.
//
//   Start() -> serving -> Drain() -> destructor
//
// All methods are called by one thread.
class Agent final {
 public:
  // Where models are to be brought, it listens when each of the first was tried. INVALID_ARGUMENT: an option;
  // ALREADY_EXISTS: a port is in use; CANCELLED: `stop` was requested before.
  static base::Result<std::unique_ptr<Agent>> Start(AgentOptions options, base::Logger& logger,
                                                    const std::stop_token& stop = {});
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Of the listeners "http" and "metrics".
  uint16_t port(std::string_view listener) const { return server_.port(listener); }

  // Not ready from now on but still accepting for the grace time; then answers what has come, within the drain timeout.
  // What is to be logged goes out with the destructor.
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
  std::unique_ptr<payloadlog::PayloadLog> log_;  // null: nothing is logged
  std::unique_ptr<Puller> puller_;               // null: models are not brought
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::Server server_;
};

}  // namespace inferd::agent
