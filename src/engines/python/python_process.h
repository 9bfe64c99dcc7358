#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/child_process.h"
#include "base/system/file_descriptor.h"
#include "engines/python/message/input_blocks.h"
#include "engines/python/message/marshal.h"
#include "engines/python/message/marshal_writer.h"
#include "engines/python/message/shared_area.h"
#include "engines/python/ready_line.h"

namespace inferd::python {

// What an interpreter is started with.
struct Interpreter {
  std::string program;                   // a path, or a name to be looked for in PATH
  std::filesystem::path worker;          // the program that it runs: inferd_python_worker.py
  std::vector<std::string> environment;  // NAME=VALUE, in place of the server's own; "NAME": that one is left out
};

// A worker: an interpreter in a process of its own, the messages to it and from it, and the memory that both see. It
// ends with this. Send() and the rest are for one thread at a time each.
class PythonProcess final {
 public:
  // FAILED_PRECONDITION: there is no such interpreter. RESOURCE_EXHAUSTED: the system has no room for a process.
  static base::Result<PythonProcess> Start(const Interpreter& interpreter, std::string title);
  ~PythonProcess();
  PythonProcess(PythonProcess&& other) noexcept = default;
  PythonProcess& operator=(PythonProcess&&) = delete;

  const std::shared_ptr<InputBlocks>& inputs() const { return inputs_; }
  SharedArea& outputs() { return outputs_; }
  const std::shared_ptr<ReadyLine>& ready_line() const { return ready_line_; }

  // UNAVAILABLE: the process has ended. DEADLINE_EXCEEDED: it takes no messages; what it has of this one is half.
  base::Status Send(const MarshalWriter& message);
  // Waits until a message begins to come, or `wake`, a file, has something to be read: which of them, the message
  // first. kNeither: the time is over, or the process has ended.
  enum class Event { kMessage, kWake, kNeither };
  Event Await(int wake, std::chrono::steady_clock::time_point until);
  // What has come, without waiting. kMessage: all of one, or what begins as none: Receive() does not wait. kEnd: the
  // process has ended, or is about to.
  enum class Arrived { kMessage, kNothing, kEnd };
  Arrived Look();
  // Has something to be read when a message comes, or the process's end is near.
  int descriptor() const { return socket_.get(); }
  // The next message, which has begun to come. UNAVAILABLE as above. DEADLINE_EXCEEDED: it does not come in a
  // reasonable time, and the process was killed. INTERNAL: it is none, and the process was killed.
  base::Result<Value> Receive();
  // No message follows, which tells it to end.
  void FinishSending();
  // Ends it, if it lives: `why`, in words that go behind "the Python process". UNAVAILABLE, as of Send(): it has ended
  // by itself, or is about to.
  void End(const base::Status& why);

  // Once it has ended, or is as good as that: how. Nothing: it lives.
  const std::optional<std::string>& end() const { return end_; }

 private:
  PythonProcess(base::ChildProcess child, base::FileDescriptor socket, std::shared_ptr<InputBlocks> inputs,
                SharedArea outputs, std::shared_ptr<ReadyLine> ready_line);
  Event AwaitBytes(int wake, std::chrono::steady_clock::time_point until);
  // Until there are so many bytes in `received_`.
  base::Status ReadAtLeast(size_t size, std::chrono::steady_clock::time_point until);
  // Ends it, and notes how it ended: by itself, or `why` it had to.
  base::Status Lose(const base::Status& why);

  base::ChildProcess child_;
  base::FileDescriptor socket_;  // none: moved from
  std::shared_ptr<InputBlocks> inputs_;
  SharedArea outputs_;
  std::shared_ptr<ReadyLine> ready_line_;
  std::vector<char> received_;
  size_t received_size_ = 0;  // of that, what has come and was not taken
  std::optional<std::string> end_;
};

}  // namespace inferd::python
