#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::base {

// Returns the variables of this process, each as "NAME=VALUE". Thread-safe as long as no thread changes them.
std::vector<std::string> OwnEnvironment();
// Returns the name in "NAME=VALUE", or in "NAME".
std::string_view VariableName(std::string_view variable);

// The way in which a program is started as a child process.
struct ChildCommand {
  std::string program;                                       // a path, or a name that is looked up in PATH
  std::vector<std::string> arguments;                        // the first is argv[0], the name in process lists
  std::optional<std::vector<std::string>> environment = {};  // NAME=VALUE; this process's if nullopt
  std::vector<std::string> environment_changes = {};         // changes to it: NAME=VALUE sets, "NAME" removes
  // This process's; in the child they become kFirstDescriptor and the numbers after it
  std::span<const int> descriptors = {};
  // True for a foreign program: it leads a process group, so that Ctrl-C does not reach it, and it receives signals.
  bool apart = false;
  // True if it leads a session of its own, and so a process group that no other of our processes is in. Signals are
  // blocked.
  bool own_session = false;
  // A descriptor of this process that becomes the child's standard output and error; -1 to inherit this process's.
  int output = -1;
  bool own_errors = false;  // true if the child's standard error stays this process's and does not go to `output`
  // True if the child is killed when the thread that started it ends, and so whenever this process ends. This uses
  // fork(), which copies the process: avoid it for processes with much memory.
  bool ends_with_thread = false;
  // The open, writable file cgroup.procs of a control group (version 2) that the child joins before it executes the
  // program; -1 to stay in ours. Requires ends_with_thread.
  int control_group = -1;
};

// A child process. It inherits only the descriptors 0, 1 and 2 and those of its command; otherwise clients' connections
// would outlive our end of them. SIGINT, SIGTERM and SIGHUP, which Ctrl-C and service managers send to a whole group,
// are blocked in the child unless it is `apart`: the parent decides when the child ends. Move-only. The destructor
// kills the child if it still runs, and waits for it.
class ChildProcess final {
 public:
  static constexpr int kFirstDescriptor = 3;

  // FAILED_PRECONDITION if there is no such program; the text is the system's reason only. RESOURCE_EXHAUSTED if the
  // system cannot create another process.
  static Result<ChildProcess> Start(const ChildCommand& command);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }
  // A descriptor that becomes readable when the process has ended.
  int handle() const { return handle_.get(); }

  // Returns true if WaitForEnd() has been called.
  bool ended() const { return waited_for_; }

  // Sends SIGKILL. May be called on any thread, at any time.
  void Kill() const;
  // Asks the process to end, with SIGTERM. Only an `apart` process receives it. May be called on any thread, at any
  // time.
  void Terminate() const;
  // Waits for the end of the process until `deadline`. Returns true if it has ended.
  bool EndsBefore(std::chrono::steady_clock::time_point deadline) const;
  // Blocks until the process has ended, and returns how: "left with status 1". Call once.
  std::string WaitForEnd();
  // Returns the exit status, or 128 plus the signal's number if a signal ended it, as shells do. Call after
  // WaitForEnd().
  int exit_code() const { return exit_code_; }

 private:
  ChildProcess(pid_t pid, FileDescriptor handle) : pid_(pid), handle_(std::move(handle)) {}

  pid_t pid_;
  FileDescriptor handle_;  // empty after a move
  bool waited_for_ = false;
  int exit_code_ = 0;
};

}  // namespace inferd::base
