#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/worker/child/hosted_execution.h"

namespace inferd::worker {

// An instance inside a worker process. Each of its channels has a thread that waits for calls and has the engine run
// them, one at a time. Destroy it only when no call is in flight.
class HostedInstance final {
 public:
  // `channel` is its number in the process. `bodies` is null if the server shares none. Throws std::system_error if
  // there is no thread.
  HostedInstance(std::unique_ptr<core::EngineInstance> instance, std::shared_ptr<ChannelMemory> memory,
                 uint64_t channel, std::shared_ptr<const BodyView> bodies, std::string thread_name);
  ~HostedInstance();
  HostedInstance(const HostedInstance&) = delete;
  HostedInstance& operator=(const HostedInstance&) = delete;

  // Adds a channel, for one more concurrent execution. Throws like the constructor.
  void AddChannel(std::shared_ptr<ChannelMemory> memory, uint64_t channel);

 private:
  struct Channel {
    std::shared_ptr<ChannelMemory> memory;
    HostedExecution execution;
    std::thread thread = {};
  };

  void Run(Channel& channel);
  void Execute(Channel& channel);
  void AwaitTurn(uint64_t call);

  const std::unique_ptr<core::EngineInstance> instance_;
  const std::shared_ptr<const BodyView> bodies_;
  const std::string thread_name_;
  std::atomic<bool> stopping_{false};
  // Calls of the engine do not overlap, even if executions do, and come in the server's order.
  base::Mutex mutex_;
  base::CondVar called_;
  uint64_t calls_ GUARDED_BY(mutex_) = 0;  // calls from which the engine has returned
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace inferd::worker
