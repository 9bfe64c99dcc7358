#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/child_process.h"
#include "base/system/file_descriptor.h"
#include "engines/python/marshal.h"
#include "engines/python/shared_area.h"

namespace inferd::python {

// What an interpreter is started with.
struct Interpreter {
  std::string program;                   // a path, or a name to be looked for in PATH
  std::filesystem::path worker;          // the program that it runs: inferd_python_worker.py
  std::vector<std::string> environment;  // NAME=VALUE, in place of the server's own; "NAME": that one is left out
};

// A worker: an interpreter in a process of its own, the messages to it and from it, and the memory that both see. It
// ends with this. Not thread-safe.
class PythonProcess final {
 public:
  // FAILED_PRECONDITION: there is no such interpreter. RESOURCE_EXHAUSTED: the system has no room for a process.
  static base::Result<PythonProcess> Start(const Interpreter& interpreter, std::string title);
  ~PythonProcess();
  PythonProcess(PythonProcess&& other) noexcept = default;
  PythonProcess& operator=(PythonProcess&&) = delete;

  SharedArea& inputs() { return inputs_; }
  SharedArea& outputs() { return outputs_; }

  // UNAVAILABLE: the process has ended; the text says how. DEADLINE_EXCEEDED: it did not take the message in that time,
  // and was killed.
  base::Status Send(const MarshalWriter& message, std::chrono::milliseconds patience);
  // The next message. UNAVAILABLE and DEADLINE_EXCEEDED as above. INTERNAL: it is none, and it was killed.
  base::Result<Value> Receive(std::chrono::milliseconds patience);

  // Once it has ended, or is as good as that: how. Nothing: it lives.
  const std::optional<std::string>& end() const { return end_; }

 private:
  PythonProcess(base::ChildProcess child, base::FileDescriptor socket, SharedArea inputs, SharedArea outputs);
  base::Status ReadExactly(char* data, size_t size, std::chrono::steady_clock::time_point until);
  // Ends it, and notes how it ended: by itself, or `why` it had to.
  base::Status Lose(const base::Status& why);
  base::Status LoseToTime();

  base::ChildProcess child_;
  base::FileDescriptor socket_;  // none: moved from
  SharedArea inputs_;
  SharedArea outputs_;
  std::string received_;
  std::optional<std::string> end_;
};

}  // namespace inferd::python
