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

// The model server as a child process of the agent. It starts before the agent accepts requests, and ends with the
// agent.
class ComponentProcess final {
 public:
  // Starts the command. Its first word is the program: a path, or a name to look up in PATH. The process leads a
  // process group, so that Ctrl-C does not reach it. It is killed when the calling thread ends, and therefore also when
  // the agent is killed. FAILED_PRECONDITION if it cannot be started.
  static base::Result<std::unique_ptr<ComponentProcess>> Start(const std::vector<std::string>& command);
  // Kills the process.
  ~ComponentProcess() = default;

  // Blocks until the process listens. CANCELLED if `stop` was requested; UNAVAILABLE if the process has ended.
  base::Status AwaitListening(const Component& component, const std::stop_token& stop) const;
  // Returns a descriptor that is readable once the process has ended.
  int handle() const { return child_.handle(); }
  // Asks the process to end, and kills it if it has not ended within `grace`. Returns its exit status.
  int End(std::chrono::seconds grace);

 private:
  explicit ComponentProcess(base::ChildProcess child) : child_(std::move(child)) {}

  base::ChildProcess child_;
};

}  // namespace inferd::agent
