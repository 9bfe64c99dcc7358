#pragma once

#include <memory>
#include <string>
#include <thread>

#include "core/engine.h"
#include "worker/child/hosted_execution.h"

namespace inferd::worker {

// An instance inside a worker process: a thread that waits for calls in its channel and has the engine run them, one at
// a time. Destroyed when no call is under way.
class HostedInstance final {
 public:
  // `channel`: its number in the process. `bodies` null: the server shows none.
  HostedInstance(std::unique_ptr<core::EngineInstance> instance, std::shared_ptr<ChannelMemory> memory,
                 uint64_t channel, std::shared_ptr<const BodyView> bodies, std::string thread_name);
  ~HostedInstance();
  HostedInstance(const HostedInstance&) = delete;
  HostedInstance& operator=(const HostedInstance&) = delete;

 private:
  void Run();

  const std::unique_ptr<core::EngineInstance> instance_;
  const std::shared_ptr<ChannelMemory> memory_;
  const std::string thread_name_;
  HostedExecution execution_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace inferd::worker
