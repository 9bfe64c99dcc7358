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

// An instance inside a worker process: for each of its channels a thread that waits for calls there and has the engine
// run them, one at a time. Destroyed when no call is under way.
class HostedInstance final {
 public:
  // `channel`: its number in the process. `bodies` null: the server shows none. Throws std::system_error: there is no
  // thread.
  HostedInstance(std::unique_ptr<core::EngineInstance> instance, std::shared_ptr<ChannelMemory> memory,
                 uint64_t channel, std::shared_ptr<const BodyView> bodies, std::string thread_name);
  ~HostedInstance();
  HostedInstance(const HostedInstance&) = delete;
  HostedInstance& operator=(const HostedInstance&) = delete;

  // One more execution may go on at a time. Throws so, too.
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
  // Calls of the engine do not overlap, where executions do, and come in the server's order.
  base::Mutex mutex_;
  base::CondVar called_;
  uint64_t calls_ GUARDED_BY(mutex_) = 0;  // that the engine has returned from
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace inferd::worker
