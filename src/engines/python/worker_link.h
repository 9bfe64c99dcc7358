#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/engine_table.h"
#include "engines/python/message/outbox.h"
#include "engines/python/message/value_parts.h"
#include "engines/python/python_process.h"
#include "engines/python/worker_asks.h"
#include "engines/python/worker_log.h"
#include "engines/python/worker_output.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// What goes on between the engine and one worker: executions, and what its model asks. One thread at a time reads what
// the worker says. Most executions are quick and alone, and are read by the thread that has begun them:
//
//   Execute() on a thread that waits for descriptors --returns--> watched --"done"--> finished, by such a thread
//   Execute() on another one --waits, for a moment--> finished
//   either --the worker says something else, or nothing for a while--> read by the listener, a thread of this
//
// The listener reads, too, when none has come for a while. The worker ends with this.
class WorkerLink final {
 public:
  // Errors are PythonProcess::Start's.
  static base::Result<std::unique_ptr<WorkerLink>> Start(const inferd_host& host, const Interpreter& interpreter,
                                                         std::string title);
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  // Has it do what `message` says, before there are executions: its answer. UNAVAILABLE: it has ended;
  // DEADLINE_EXCEEDED: it did not answer, and was ended.
  base::Result<Value> Exchange(const MarshalWriter& message, std::chrono::milliseconds patience);

  // Takes back an execution that the worker had not begun when it ended. On any thread; it must not block.
  using TakeBack = std::function<void(const inferd_batch& batch)>;
  // Executions follow. `instance`: its name, for messages. A worker that says nothing for so long during an execution
  // is ended; what it only writes into the log says nothing. `take_back` null: executions may overlap, and one that has
  // come to the worker counts as begun.
  void Serve(std::string instance, std::chrono::milliseconds patience, TakeBack take_back = nullptr);

  // One call at a time, none of which takes long: kPending: the execution goes on, and is finished later. Errors are
  // from before it began, with nothing answered. UNAVAILABLE: the worker has ended, or is to be ended.
  base::Result<kit::Progress> Execute(const inferd_batch& batch);

  const std::shared_ptr<ReadyLine>& ready_line() const { return process_.ready_line(); }

  // Whether no execution of it goes on.
  bool idle();
  // True if executions may be begun: the worker has not ended, and is not to be ended.
  bool usable();

 private:
  // An execution. The thread that reads alone looks at it.
  struct Running {
    const inferd_batch* batch = nullptr;
    InputBlocks::Block inputs;
    std::vector<bool> answered;  // finally, by request
    size_t held = 0;             // responses behind which none may come yet
    bool returned = false;       // the model's function has
    bool over = false;           // the worker is done with it
    bool pending = false;        // Execute() has returned before that
  };

  // This thread is the one that reads, as long as there is this.
  class Reading final {
   public:
    explicit Reading(WorkerLink& link);
    struct Begun {};
    Reading(WorkerLink& link, Begun) : link_(link), was_watched_(true) {}
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    // Until now, by the threads that have begun the executions.
    bool was_watched() const { return was_watched_; }

   private:
    WorkerLink& link_;
    bool was_watched_ = false;
  };

  // What a thread that has begun an execution holds while it waits: the link may go meanwhile.
  struct Watch {
    base::Mutex mutex;
    WorkerLink* link GUARDED_BY(mutex) = nullptr;
  };

  WorkerLink(const inferd_host& host, std::unique_ptr<WorkerOutput> output, PythonProcess process,
             std::shared_ptr<Outbox> outbox);

  // Whether this thread waits for answers beside what else it waits for.
  bool BeginWatch();
  static void OnReadable(const std::shared_ptr<Watch>& watch);
  // What has come for executions that are watched. What is finished by it.
  std::vector<const inferd_batch*> TakeWatched();

  void Listen();
  bool MayListen() REQUIRES(mutex_);

  // For the thread that reads. False: the time is over, and nothing has come.
  bool Step(std::chrono::steady_clock::time_point until);
  void SendOutbox();
  base::Status TakeMessage(bool only_log);
  base::Status Handle(const Value& message);
  base::Status HandleResponses(const Value::Items& items, bool over);
  base::Status Respond(uint64_t number, const Value::Items& responses, TensorMemory memory, uint64_t ticket);
  void Hold(uint64_t number, size_t request, uint64_t ticket);
  void Resumed(uint64_t number);
  void FinishIfOver(uint64_t number);
  // An execution that nothing more is done for: its inputs' place is free.
  void Forget(uint64_t number);
  void FinishOver();
  base::Result<Running*> Begin(uint64_t number, const inferd_batch& batch);
  // The process has ended: which execution it had begun, of those that there are.
  void NoteEnd();
  bool WasBegun(uint64_t number) const;
  void GiveBack();
  void FailPending();
  base::Status Ended(const std::string& how) const;

  const inferd_host& host_;
  const std::unique_ptr<WorkerOutput> output_;  // before the process, whose last lines it takes
  PythonProcess process_;
  const std::shared_ptr<Outbox> outbox_;
  std::shared_ptr<WorkerAsks> asks_;
  std::string instance_;
  WorkerLog log_;
  std::chrono::milliseconds patience_{0};
  std::chrono::steady_clock::time_point alive_;  // when it last said something, or was asked something new
  MarshalWriter message_;
  uint64_t last_ = 0;
  TakeBack take_back_;
  bool said_end_ = false;
  std::optional<uint64_t> begun_;  // when the process ended, the first of those that were unfinished
  bool goes_on_ = false;           // the worker has said what asks for more than that an execution is over
  std::unordered_map<uint64_t, Running> running_;  // by number
  std::optional<Value> reply_;                     // to Exchange()
  std::vector<const inferd_batch*> finished_;      // and not said so yet
  const std::shared_ptr<Watch> watch_ = std::make_shared<Watch>();

  base::Mutex mutex_;
  base::CondVar changed_;
  bool reading_ GUARDED_BY(mutex_) = false;     // a thread does
  bool listening_ GUARDED_BY(mutex_) = false;   // it is this one's
  bool unfinished_ GUARDED_BY(mutex_) = false;  // executions go on
  int wanted_ GUARDED_BY(mutex_) = 0;           // Execute() waits to read
  bool watched_ GUARDED_BY(mutex_) = false;     // by the thread that has begun the execution, since read_until_
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point read_until_ GUARDED_BY(mutex_);
  std::thread listener_;
};

}  // namespace inferd::python
