#pragma once

#include <atomic>
#include <memory>

#include "kserve/agent/ready/readiness_probe.h"
#include "net/event_loop.h"
#include "net/http/http.h"

namespace inferd::agent {

// Returns true if a request checks the agent's own readiness (Knative's header K-Network-Probe).
bool AsksForReadiness(const net::RequestHead& head);
// Returns true if a request is a probe of a kubelet or a proxy, and not a user's request.
bool IsProbe(const net::RequestHead& head);

// Answers Knative's probes, "K-Network-Probe: queue", by checking the component: 200 with the body "queue", or 503.
// While `draining`, the response is 503. Other requests go to `inner`. Loop-bound. `probe` and `draining` must outlive
// the handler.
std::unique_ptr<net::HttpHandler> MakeProbeHandler(const ReadinessProbe& probe, const std::atomic<bool>& draining,
                                                   net::EventLoop& loop, std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::agent
