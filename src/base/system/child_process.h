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

// How a program is started in a process of its own.
struct ChildCommand {
  std::string program;                                       // a path, or a name to be looked for in PATH
  std::vector<std::string> arguments;                        // the first is what lists of processes call it
  std::optional<std::vector<std::string>> environment = {};  // NAME=VALUE; nullopt: ours
  std::vector<std::string> environment_changes = {};         // NAME=VALUE, in place of that; "NAME": it is left out
  std::span<const int> descriptors = {};  // ours; there they are kFirstDescriptor and the numbers behind it
  // A program that is no part of ours: it leads a process group, so that Ctrl-C does not reach it, and takes signals.
  bool apart = false;
  // It leads a session, and so a process group, that none of our other processes is in. It does not take signals.
  bool own_session = false;
  // Ours, which becomes its standard output and error; -1: those that we have ourselves.
  int output = -1;
  bool own_errors = false;  // what it says on its standard error goes where ours does, not to `output`
  // It is killed when the thread that has started it ends, and so when this process does, however that is. This process
  // is copied for that (fork): not for ones with much memory.
  bool ends_with_thread = false;
  // The file cgroup.procs of a control group of version 2, open to be written: that which it is in before it is the
  // program; -1: ours. Only together with ends_with_thread.
  int control_group = -1;
};

// A process that this one has started. It gets no other descriptors of ours but 0, 1 and 2: clients' connections would
// outlive our end of them. SIGINT, SIGTERM and SIGHUP, which Ctrl-C and service managers send to all of a group, are
// blocked there unless it is apart: the parent decides when it ends. Move-only; the destructor kills it if it has not
// ended, and waits.
class ChildProcess final {
 public:
  static constexpr int kFirstDescriptor = 3;

  // FAILED_PRECONDITION: there is no such program; the text is the system's reason alone. RESOURCE_EXHAUSTED: the
  // system has no room for a process.
  static Result<ChildProcess> Start(const ChildCommand& command);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }
  // Readable once it has ended.
  int handle() const { return handle_.get(); }

  // Whether WaitForEnd() has been called.
  bool ended() const { return waited_for_; }

  // With SIGKILL. On any thread, at any time.
  void Kill() const;
  // Asks it to end, with SIGTERM. Only one that is apart heeds it. Likewise.
  void Terminate() const;
  // Whether it ends before `deadline`; blocks until then.
  bool EndsBefore(std::chrono::steady_clock::time_point deadline) const;
  // Blocks until it has ended, and returns how: "left with status 1". Once.
  std::string WaitForEnd();
  // After that: what it left with; 128 and the signal's number, where one has ended it (as shells have it).
  int exit_code() const { return exit_code_; }

 private:
  ChildProcess(pid_t pid, FileDescriptor handle) : pid_(pid), handle_(std::move(handle)) {}

  pid_t pid_;
  FileDescriptor handle_;  // none: moved from
  bool waited_for_ = false;
  int exit_code_ = 0;
};

}  // namespace inferd::base
