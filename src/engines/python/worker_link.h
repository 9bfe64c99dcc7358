#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/engine_table.h"
#include "engines/python/message/outbox.h"
#include "engines/python/message/value_parts.h"
#include "engines/python/python_process.h"
#include "engines/python/worker_asks.h"
#include "engines/python/worker_executions.h"
#include "engines/python/worker_log.h"
#include "engines/python/worker_output.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// The exchange between the engine and one worker: executions, and the requests of its model to the server. One thread
// at a time reads the worker's messages. Most executions are short and alone, and are read by the thread that began
// them:
//
//   Execute() on a thread that waits for descriptors --returns--> watched --"done"--> finished, by such a thread
//   Execute() on another thread --waits for a moment--> finished
//   either --any other message, or none for a while--> read by the listener, a thread of this object
//
// The listener also reads when no execution has come for a while. The worker ends with this object.
class WorkerLink final {
 public:
  // Errors as for PythonProcess::Start().
  static base::Result<std::unique_ptr<WorkerLink>> Start(const inferd_host& host, const Interpreter& interpreter,
                                                         std::string title);
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  // Sends `message` before there are executions, and returns the worker's answer. UNAVAILABLE if the worker has ended.
  // DEADLINE_EXCEEDED if it did not answer within `patience`; it was ended then.
  base::Result<Value> Exchange(const MarshalWriter& message, std::chrono::milliseconds patience);

  // Call before executions. `instance` is its name, for messages. A worker that sends nothing for `patience` during an
  // execution is ended; log lines do not count. `take_back`: see WorkerExecutions::SetTakeBack().
  void Serve(std::string instance, std::chrono::milliseconds patience, WorkerExecutions::TakeBack take_back = nullptr);
  // Gives a serving worker to another instance of its model. Call between executions. Returns false if the worker has
  // ended or is being ended.
  bool GiveTo(std::string instance, WorkerExecutions::TakeBack take_back);

  // Begins an execution. One call at a time; returns soon. kPending if the execution goes on and is finished later. If
  // it fails, the execution has not begun and nothing was answered. UNAVAILABLE if the worker has ended or is being
  // ended.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  // Tells the worker to end, and returns at once. Call when no execution is in progress. The only call that may follow
  // is the destructor, which waits for the worker's end.
  void BeginEnd();

  const std::shared_ptr<ReadyLine>& ready_line() const { return process_.ready_line(); }

  // Returns true if no execution is in progress.
  bool idle();
  // Returns true if executions may begin: the worker has not ended and is not being ended.
  bool usable();

 private:
  // Makes this thread the reading one for as long as the object exists.
  class Reading final {
   public:
    explicit Reading(WorkerLink& link);
    struct Begun {};
    Reading(WorkerLink& link, Begun) : link_(link), was_watched_(true) {}
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    // True if the threads that began the executions had watched the socket until now.
    bool was_watched() const { return was_watched_; }

   private:
    WorkerLink& link_;
    bool was_watched_ = false;
  };

  // Held by a waiting descriptor callback. The link may be destroyed meanwhile.
  struct Watch {
    base::Mutex mutex;
    WorkerLink* link GUARDED_BY(mutex) = nullptr;
  };

  WorkerLink(const inferd_host& host, std::unique_ptr<WorkerOutput> output, PythonProcess process,
             std::shared_ptr<Outbox> outbox);

  // Asks the calling thread's loop to wait for responses. Returns false if it is no such thread.
  bool BeginWatch();
  static void OnReadable(const std::shared_ptr<Watch>& watch);
  // Reads the messages for watched executions. Returns the batches that are finished by them.
  std::vector<const inferd_batch*> TakeWatched();

  void Listen();
  bool MayListen() REQUIRES(mutex_);

  // Processes one message or wake-up, on the reading thread. Returns false if the time is over and nothing has come.
  bool Step(std::chrono::steady_clock::time_point until);
  void SendOutbox();
  base::Status TakeMessage(bool only_log);
  base::Status Handle(const Value& message);
  // Reports the finished executions to the host.
  void FinishOver();
  base::Result<WorkerExecutions::Execution*> Begin(const inferd_batch& batch);
  // Call when the process has ended, again until there are no executions.
  void FailPending();
  base::Status Ended(const std::string& how) const;

  const inferd_host& host_;
  const std::unique_ptr<WorkerOutput> output_;  // declared before the process, to log its last lines
  PythonProcess process_;
  const std::shared_ptr<Outbox> outbox_;
  std::shared_ptr<WorkerAsks> asks_;
  std::string instance_;
  WorkerLog log_;
  std::chrono::milliseconds patience_{0};
  std::chrono::steady_clock::time_point alive_;  // time of its last message or its last new execution
  MarshalWriter message_;
  WorkerExecutions executions_;
  bool said_end_ = false;
  bool goes_on_ = false;        // a message came that is more than the end of an execution
  std::optional<Value> reply_;  // for Exchange()
  const std::shared_ptr<Watch> watch_ = std::make_shared<Watch>();

  base::Mutex mutex_;
  base::CondVar changed_;
  bool reading_ GUARDED_BY(mutex_) = false;     // a thread reads
  bool listening_ GUARDED_BY(mutex_) = false;   // that thread is the listener
  bool unfinished_ GUARDED_BY(mutex_) = false;  // executions are in progress
  int wanted_ GUARDED_BY(mutex_) = 0;           // threads that wait to read
  bool watched_ GUARDED_BY(mutex_) = false;     // by the thread that began the execution, since read_until_
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point read_until_ GUARDED_BY(mutex_);
  std::thread listener_;
};

}  // namespace inferd::python
