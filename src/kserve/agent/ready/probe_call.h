#pragma once

#include <functional>
#include <memory>

#include "kserve/agent/ready/readiness_probe.h"
#include "net/event_loop.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

// One look at whether the component is ready. Destroying it gives it up. Loop-bound.
class ProbeCall {
 public:
  // `ready`; called once, from the loop, never inside Begin.
  using Done = std::move_only_function<void(bool)>;

  static std::unique_ptr<ProbeCall> Begin(const ReadinessProbe& probe, net::EventLoop& loop, net::upstream::Pool& pool,
                                          Done done);
  virtual ~ProbeCall() = default;
};

}  // namespace inferd::agent
