#pragma once

#include <atomic>
#include <memory>

#include "kserve/agent/ready/readiness_probe.h"
#include "net/event_loop.h"
#include "net/http/http.h"

namespace inferd::agent {

// Whether a request asks for the agent's own readiness (Knative: the header K-Network-Probe).
bool AsksForReadiness(const net::RequestHead& head);
// Whether it comes from what looks after the pod, and is no user's request.
bool IsProbe(const net::RequestHead& head);

// Answers Knative's probes, "K-Network-Probe: queue", by a look at the component: 200 with the body "queue", or 503;
// 503 while `draining`. All else goes to `inner`. Loop-bound; `probe` and `draining` outlive it.
std::unique_ptr<net::HttpHandler> MakeProbeHandler(const ReadinessProbe& probe, const std::atomic<bool>& draining,
                                                   net::EventLoop& loop, std::unique_ptr<net::HttpHandler> inner);

}  // namespace inferd::agent
