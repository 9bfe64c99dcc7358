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

// How to start an interpreter.
struct Interpreter {
  std::string program;                                 // a path, or a name to find in PATH
  std::filesystem::path worker;                        // the program that it runs: inferd_python_worker.py
  std::vector<std::string> inherited = {};             // NAME=VALUE: variables from the server's environment
  std::vector<std::string> environment = {};           // NAME=VALUE overrides them; "NAME" removes one
  std::shared_ptr<WorkerSessions> sessions = nullptr;  // of all workers of this process; may be null
};

// A worker: an interpreter in its own process, the messages in both directions, and the shared memory. The process ends
// with this object. One thread at a time, except that Settle() may run beside Look(), Await(), Send() and failed().
//
// Only Settle() and the destructor block for the process. A worker may write half a message, read nothing, or close its
// socket and live on, while threads that serve other models' connections read its messages.
//
//   alive --the process ends or breaks a rule, or Fail()--> failed --Settle()--> ended, and waited for
class PythonProcess final {
 public:
  // The limit for one message of the worker. A longer one ends the process.
  static constexpr uint32_t kMessageBytesMax = uint32_t{1} << 24;
  // The limit for messages that the worker has not read yet. A message beyond it ends the process.
  static constexpr size_t kUnsentBytesMax = size_t{1} << 24;
  // While more bytes of replies than this are unsent, nothing is read from the worker: it would ask for more.
  static constexpr size_t kRepliesBytesHeld = size_t{1} << 18;

  // `output` is a descriptor that becomes the worker's standard output and error; -1 for the server's own.
  // FAILED_PRECONDITION if there is no such interpreter. RESOURCE_EXHAUSTED if the system cannot start a process.
  static base::Result<PythonProcess> Start(const Interpreter& interpreter, std::string title, int output = -1);
  ~PythonProcess();
  PythonProcess(PythonProcess&& other) noexcept = default;
  PythonProcess& operator=(PythonProcess&&) = delete;

  const std::shared_ptr<InputBlocks>& inputs() const { return inputs_; }
  SharedArea& outputs() { return outputs_; }
  const std::shared_ptr<ReadyLine>& ready_line() const { return ready_line_; }

  // Sends the message, or queues the part that the worker does not take now; Await() sends it. UNAVAILABLE if the
  // process has failed.
  enum class Kind { kOrder, kReply };
  base::Status Send(const MarshalWriter& message, Kind kind = Kind::kOrder);
  // True if a part of a message is queued.
  bool has_unsent() const { return !unsent_.empty(); }
  // Waits until a whole message has come (kMessage), or the file `wake` is readable (kWake). A message takes
  // precedence. Sends queued messages meanwhile. kNeither if the time is over or the process has failed.
  enum class Event { kMessage, kWake, kNeither };
  Event Await(int wake, std::chrono::steady_clock::time_point until);
  // Reads bytes that have come, without waiting. kMessage if Receive() has a message. kEnd if the process has failed.
  // kNothing if the message is incomplete: bytes may be left if they come in very small parts.
  enum class Arrived { kMessage, kNothing, kEnd };
  Arrived Look();
  // True if only a part of a message has come.
  bool is_half() const { return half_since_.has_value(); }
  // Readable when a message comes or the process is about to end.
  int descriptor() const { return socket_.get(); }
  // Returns the message that Look() or Await() found. INTERNAL if it is invalid; the process has failed then.
  base::Result<Value> Receive();
  // Ends the sending direction, which tells the process to end. It has some seconds from the first call on.
  void FinishSending();
  // Returns when those seconds are over: the process is then killed. In some seconds if it was not told to end.
  std::chrono::steady_clock::time_point EndsUntil() const;

  // Fails the process. `why` is a text to follow "the Python process"; its code is UNAVAILABLE if the process has ended
  // by itself, or is about to. The first reason counts.
  void Fail(base::Status why);
  // True once the process has ended or is to be ended: nothing more is sent or received.
  bool failed() const { return why_.has_value(); }
  // Once failed(): kills the process unless it ends by itself, and waits for its end. Blocks for some seconds at most.
  // Call once.
  void Settle();
  // How the process ended, once settled. nullopt before.
  const std::optional<std::string>& end() const { return end_; }

 private:
  PythonProcess(base::ChildProcess child, base::FileDescriptor socket, std::shared_ptr<InputBlocks> inputs,
                SharedArea outputs, std::shared_ptr<ReadyLine> ready_line, std::shared_ptr<WorkerSessions> sessions);
  void Queue(const MarshalWriter& message, size_t sent, Kind kind);
  bool IsHeld() const { return unsent_replies_ > kRepliesBytesHeld; }
  void Flush();
  bool MakeRoom(size_t wanted);
  // Returns kNothing, and notes since when a message is incomplete.
  Arrived NoMessage();
  // Waits for the socket, the process or `wake`. Returns true if `wake` is readable.
  bool Poll(int wake, std::chrono::steady_clock::duration patience);
  // Fails the process if it has left a message incomplete, or has not read, for too long.
  void CheckProgress(std::chrono::steady_clock::time_point now);
  // Returns when CheckProgress() has something to do.
  std::chrono::steady_clock::time_point ProgressDue() const;

  std::shared_ptr<WorkerSessions> sessions_;
  base::ChildProcess child_;
  base::FileDescriptor socket_;  // invalid if moved from
  std::shared_ptr<InputBlocks> inputs_;
  SharedArea outputs_;
  std::shared_ptr<ReadyLine> ready_line_;
  std::vector<char> received_;
  size_t received_size_ = 0;  // bytes in received_ that were not taken yet
  // The time since which these bytes are known to be an incomplete message.
  std::optional<std::chrono::steady_clock::time_point> half_since_;
  std::string unsent_;
  size_t sent_ = 0;                                    // of unsent_
  size_t unsent_replies_ = 0;                          // bytes queued since unsent_ was last empty
  std::chrono::steady_clock::time_point stuck_since_;  // when the worker last read, if something is unsent
  std::optional<std::chrono::steady_clock::time_point> told_to_end_;
  std::optional<base::Status> why_;
  std::optional<std::string> end_;
};

}  // namespace inferd::python
