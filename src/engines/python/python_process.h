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
#include "engines/python/worker_sessions.h"

namespace inferd::python {

// What an interpreter is started with.
struct Interpreter {
  std::string program;                                 // a path, or a name to be looked for in PATH
  std::filesystem::path worker;                        // the program that it runs: inferd_python_worker.py
  std::vector<std::string> inherited = {};             // NAME=VALUE: what it gets of the server's environment
  std::vector<std::string> environment = {};           // NAME=VALUE, in place of that; "NAME": that one is left out
  std::shared_ptr<WorkerSessions> sessions = nullptr;  // of all workers of this process; null: others' are not known
};

// A worker: an interpreter in a process of its own, the messages to it and from it, and the memory that both see. It
// ends with this. One thread at a time may use it, but Settle() may run beside Look(), Await(), Send() and failed().
//
// Only Settle() and the destructor block for the process: a worker may write half a message, read nothing, or close its
// socket and live on, and threads that serve other models' connections read its messages, too.
//
//   alive --the process ends, or does what it may not, or Fail()--> failed --Settle()--> ended, and waited for
class PythonProcess final {
 public:
  // Of one message of the worker. A longer one is the end of the process.
  static constexpr uint32_t kMessageBytesMax = uint32_t{1} << 24;
  // Of messages that the worker has not read yet. One more message than that is the end of the process.
  static constexpr size_t kUnsentBytesMax = size_t{1} << 24;
  // While so much of replies to what the worker asks is unsent, nothing is read from it: it would ask for more.
  static constexpr size_t kRepliesBytesHeld = size_t{1} << 18;

  // `output`: a descriptor of ours that becomes the worker's standard output and error; -1: ours are.
  // FAILED_PRECONDITION: there is no such interpreter. RESOURCE_EXHAUSTED: the system has no room for a process.
  static base::Result<PythonProcess> Start(const Interpreter& interpreter, std::string title, int output = -1);
  ~PythonProcess();
  PythonProcess(PythonProcess&& other) noexcept = default;
  PythonProcess& operator=(PythonProcess&&) = delete;

  const std::shared_ptr<InputBlocks>& inputs() const { return inputs_; }
  SharedArea& outputs() { return outputs_; }
  const std::shared_ptr<ReadyLine>& ready_line() const { return ready_line_; }

  // Sends the message, or queues what the worker does not take now: Await() sends that. UNAVAILABLE: it has failed.
  enum class Kind { kOrder, kReply };
  base::Status Send(const MarshalWriter& message, Kind kind = Kind::kOrder);
  // True if a part of a message is queued.
  bool has_unsent() const { return !unsent_.empty(); }
  // Waits until a whole message has come, or `wake`, a file, has something to be read: which of them, the message
  // first. Sends what is queued meanwhile. kNeither: the time is over, or the process has failed.
  enum class Event { kMessage, kWake, kNeither };
  Event Await(int wake, std::chrono::steady_clock::time_point until);
  // Reads what has come, without waiting. kMessage: Receive() has a message. kEnd: the process has failed.
  enum class Arrived { kMessage, kNothing, kEnd };
  Arrived Look();
  // True if a part of a message has come, and not yet the rest.
  bool is_half() const { return half_since_.has_value(); }
  // Has something to be read when a message comes, or the process's end is near.
  int descriptor() const { return socket_.get(); }
  // The message that Look() or Await() has found. INTERNAL: it is none, and the process has failed.
  base::Result<Value> Receive();
  // No message follows, which tells the process to end.
  void FinishSending();

  // Ends the process because of `why`, in words that go behind "the Python process". UNAVAILABLE: it has ended by
  // itself, or is about to. The first reason counts.
  void Fail(base::Status why);
  // True once the process has ended or is to be ended: nothing more is sent or received.
  bool failed() const { return why_.has_value(); }
  // Once failed(): kills the process unless it ends by itself, and waits for it; up to some seconds. Once.
  void Settle();
  // Once settled: how the process ended. Nothing before.
  const std::optional<std::string>& end() const { return end_; }

 private:
  PythonProcess(base::ChildProcess child, base::FileDescriptor socket, std::shared_ptr<InputBlocks> inputs,
                SharedArea outputs, std::shared_ptr<ReadyLine> ready_line, std::shared_ptr<WorkerSessions> sessions);
  void Queue(const MarshalWriter& message, size_t sent, Kind kind);
  bool IsHeld() const { return unsent_replies_ > kRepliesBytesHeld; }
  void Flush();
  bool MakeRoom(size_t wanted);
  // Waits for the socket, the process or `wake`. True: `wake` has something to be read.
  bool Poll(int wake, std::chrono::steady_clock::duration patience);
  // Fails the process if it has kept half a message, or has not read, for too long.
  void CheckProgress(std::chrono::steady_clock::time_point now);
  // When CheckProgress() has something to do.
  std::chrono::steady_clock::time_point ProgressDue() const;

  std::shared_ptr<WorkerSessions> sessions_;
  base::ChildProcess child_;
  base::FileDescriptor socket_;  // none: moved from
  std::shared_ptr<InputBlocks> inputs_;
  SharedArea outputs_;
  std::shared_ptr<ReadyLine> ready_line_;
  std::vector<char> received_;
  size_t received_size_ = 0;  // of that, what has come and was not taken
  // Since when that is known to be no whole message.
  std::optional<std::chrono::steady_clock::time_point> half_since_;
  std::string unsent_;
  size_t sent_ = 0;                                    // of unsent_
  size_t unsent_replies_ = 0;                          // bytes that were queued since nothing was unsent
  std::chrono::steady_clock::time_point stuck_since_;  // if there is something unsent: when the worker last read
  std::optional<base::Status> why_;
  std::optional<std::string> end_;
};

}  // namespace inferd::python
