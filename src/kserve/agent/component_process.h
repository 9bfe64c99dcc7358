#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/child_process.h"
#include "kserve/agent/puller/component.h"

namespace inferd::agent {

// The model server as a process of the agent's own: it is started before the agent takes requests, and ends with it.
class ComponentProcess final {
 public:
  // The command's first word is the program: a path, or a name to be looked for in PATH. The process gets signals of
  // its own, and is killed when the calling thread ends, and so when the agent is killed. FAILED_PRECONDITION: it
  // cannot be started.
  static base::Result<std::unique_ptr<ComponentProcess>> Start(const std::vector<std::string>& command);
  // Kills it.
  ~ComponentProcess() = default;

  // Until it listens. CANCELLED: `stop` was requested; UNAVAILABLE: it has ended before.
  base::Status AwaitListening(const Component& component, const std::stop_token& stop) const;
  // Readable once it has ended.
  int handle() const { return child_.handle(); }
  // Asks it to end, and kills it if it has not ended within `grace`. Returns what it left with.
  int End(std::chrono::seconds grace);

 private:
  explicit ComponentProcess(base::ChildProcess child) : child_(std::move(child)) {}

  base::ChildProcess child_;
};

}  // namespace inferd::agent
