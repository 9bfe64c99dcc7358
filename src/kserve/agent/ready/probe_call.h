#pragma once

#include <functional>
#include <memory>

#include "kserve/agent/ready/readiness_probe.h"
#include "net/event_loop.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

// One readiness check of the component. Destroying it cancels the check. Loop-bound.
class ProbeCall {
 public:
  // Receives the result. Called once, on the loop, never within Begin.
  using Done = std::move_only_function<void(bool)>;

  static std::unique_ptr<ProbeCall> Begin(const ReadinessProbe& probe, net::EventLoop& loop, net::upstream::Pool& pool,
                                          Done done);
  virtual ~ProbeCall() = default;
};

}  // namespace inferd::agent
