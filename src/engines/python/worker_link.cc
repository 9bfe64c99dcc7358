#include "engines/python/worker_link.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engines/kit/parameters.h"
#include "engines/python/message/value_parts.h"

namespace inferd::python {

namespace {

using Clock = std::chrono::steady_clock;
using kit::Progress;

// For so long after an execution, the listener does not read: another execution is likely, and handing over would cost
// more.
constexpr std::chrono::milliseconds kQuiet{50};
// For so long Execute() itself waits: others may wait for its thread, and after this time handing over costs
// comparatively little.
constexpr std::chrono::milliseconds kHeld{2};
// The limit for messages of a watched execution before the listener reads: its responses, and log lines of the model.
constexpr int kWatchedMessagesMax = 64;
constexpr std::chrono::hours kLongTime{1};

base::Status Hanging() { return base::DeadlineExceeded("did not answer in time, and was ended"); }

}  // namespace

base::Result<std::unique_ptr<WorkerLink>> WorkerLink::Start(const inferd_host& host, const Interpreter& interpreter,
                                                            std::string title) {
  INFERD_ASSIGN_OR_RETURN(std::shared_ptr<Outbox> outbox, Outbox::Create());
  INFERD_ASSIGN_OR_RETURN(auto output, WorkerOutput::Create(host, title));
  INFERD_ASSIGN_OR_RETURN(PythonProcess process,
                          PythonProcess::Start(interpreter, std::move(title), output->descriptor()));
  output->Started();
  return std::unique_ptr<WorkerLink>(new WorkerLink(host, std::move(output), std::move(process), std::move(outbox)));
}

WorkerLink::WorkerLink(const inferd_host& host, std::unique_ptr<WorkerOutput> output, PythonProcess process,
                       std::shared_ptr<Outbox> outbox)
    : host_(host),
      output_(std::move(output)),
      process_(std::move(process)),
      outbox_(std::move(outbox)),
      asks_(std::make_shared<WorkerAsks>(host, process_.inputs(), outbox_,
                                         [this](uint64_t number) { return executions_.BatchOf(number); })),
      log_(host),
      executions_(host, process_.inputs(), outbox_) {
  const base::MutexLock lock(watch_->mutex);
  watch_->link = this;
}

void WorkerLink::BeginEnd() {
  {
    const base::MutexLock lock(watch_->mutex);
    watch_->link = nullptr;
  }
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  outbox_->Wake();
  if (listener_.joinable()) listener_.join();
  process_.FinishSending();
}

// Logs the last lines of the model while it ends.
WorkerLink::~WorkerLink() {
  BeginEnd();
  const auto until = process_.EndsUntil();
  // With a deadline, as it may log without end.
  while (Clock::now() < until && process_.Await(-1, until) == PythonProcess::Event::kMessage) {
    static_cast<void>(TakeMessage(/*only_log=*/true));
  }
  asks_->Close();
}

base::Result<Value> WorkerLink::Exchange(const MarshalWriter& message, std::chrono::milliseconds patience) {
  reply_.reset();
  // The way in which the process ended is a better error than the failure to send.
  if (const base::Status sent = process_.Send(message); !sent.ok()) process_.Fail(sent);
  const auto until = Clock::now() + patience;
  while (!reply_.has_value() && !process_.failed()) {
    const bool came = Step(until);
    if (!reply_.has_value() && (!came || Clock::now() >= until)) process_.Fail(Hanging());
  }
  if (reply_.has_value()) return *std::exchange(reply_, std::nullopt);
  process_.Settle();
  return std::unexpected(base::Unavailable("the Python process " + process_.end().value_or("has ended")));
}

void WorkerLink::Serve(std::string instance, std::chrono::milliseconds patience, WorkerExecutions::TakeBack take_back) {
  instance_ = std::move(instance);
  executions_.SetTakeBack(std::move(take_back));
  log_.SetInstance(instance_);
  patience_ = patience;
  listener_ = std::thread([this] { Listen(); });
}

bool WorkerLink::GiveTo(std::string instance, WorkerExecutions::TakeBack take_back) {
  const Reading reading(*this);
  instance_ = std::move(instance);
  executions_.SetTakeBack(std::move(take_back));
  log_.SetInstance(instance_);
  return !process_.failed();
}

bool WorkerLink::usable() {
  const Reading reading(*this);
  return !process_.failed();
}

bool WorkerLink::idle() {
  const Reading reading(*this);
  return executions_.empty();
}

WorkerLink::Reading::Reading(WorkerLink& link) : link_(link) {
  base::MutexLock lock(link_.mutex_);
  ++link_.wanted_;
  if (link_.listening_) link_.outbox_->Wake();
  while (link_.reading_) link_.changed_.Wait(link_.mutex_);
  --link_.wanted_;
  link_.reading_ = true;
  was_watched_ = std::exchange(link_.watched_, false);
}

WorkerLink::Reading::~Reading() {
  const base::MutexLock lock(link_.mutex_);
  link_.reading_ = false;
  link_.unfinished_ = !link_.executions_.empty();
  link_.read_until_ = Clock::now();
  if ((link_.unfinished_ && !link_.watched_) || link_.wanted_ > 0) link_.changed_.NotifyAll();
}

bool WorkerLink::MayListen() {
  if (reading_ || wanted_ > 0) return false;
  return (unfinished_ && !watched_) || Clock::now() >= read_until_ + kQuiet;
}

void WorkerLink::Listen() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    if (!MayListen()) {
      changed_.WaitUntil(mutex_, Clock::now() + kQuiet);
      continue;
    }
    reading_ = listening_ = true;
    watched_ = false;
    const bool unfinished = unfinished_;
    lock.unlock();
    if (process_.end().has_value()) {
      FailPending();
      FinishOver();
      // Clients that hold a response up may still release it.
      if (!executions_.empty()) outbox_->Await(kQuiet);
      SendOutbox();
    } else if (!process_.failed()) {
      Step(unfinished ? alive_ + patience_ : Clock::now() + kLongTime);
      if (!executions_.empty() && Clock::now() >= alive_ + patience_) process_.Fail(Hanging());
    }
    const bool ends = process_.failed() && !process_.end().has_value();
    FinishOver();
    const bool over = process_.end().has_value() && executions_.empty();
    lock.lock();
    reading_ = listening_ = false;
    unfinished_ = !executions_.empty();
    changed_.NotifyAll();
    if (over) return;
    if (!ends) continue;
    // A thread that begins an execution meanwhile fails at once, and does not wait for the process.
    lock.unlock();
    process_.Settle();
    lock.lock();
  }
}

base::Result<Progress> WorkerLink::Execute(const inferd_batch& batch) {
  const Reading reading(*this);
  const struct Others {
    WorkerLink& link;
    ~Others() { link.FinishOver(); }
  } others{*this};
  // Processes that the worker started may still take messages.
  if (process_.failed()) return std::unexpected(Ended("has ended"));
  const bool watchable = executions_.empty() || reading.was_watched();
  const auto begun = Begin(batch);
  if (!begun.has_value()) return std::unexpected(process_.failed() ? Ended("has ended") : begun.error());
  WorkerExecutions::Execution& execution = **begun;
  if (watchable && !process_.has_unsent() && BeginWatch()) return executions_.Leave(execution);
  const auto until = Clock::now() + kHeld;
  // Stop at the deadline, as log lines may come without end, and when other executions are finished, to report them.
  while (!execution.returned && !executions_.any_finished() && Clock::now() < until && Step(until)) {
  }
  // If the process has failed meanwhile, the listener waits for it and finishes its executions.
  return executions_.Leave(execution);
}

bool WorkerLink::BeginWatch() {
  if (!INFERD_HAS_FIELD(inferd_host, &host_, await_readable)) return false;
  using Held = std::shared_ptr<Watch>;
  const auto ready = [](void* arg) { OnReadable(*std::unique_ptr<Held>(static_cast<Held*>(arg))); };
  auto held = std::make_unique<Held>(watch_);
  if (host_.await_readable(&host_, process_.descriptor(), ready, held.get()) == 0) return false;
  held.release();  // NOLINT(bugprone-unused-return-value): `ready` owns it
  const base::MutexLock lock(mutex_);
  watched_ = true;
  return true;
}

// Call finish() without locks: it may begin the next execution, or destroy the link.
void WorkerLink::OnReadable(const std::shared_ptr<Watch>& watch) {
  std::vector<const inferd_batch*> finished;
  const inferd_host* host = nullptr;
  {
    const base::MutexLock lock(watch->mutex);
    if (watch->link == nullptr) return;
    host = &watch->link->host_;
    finished = watch->link->TakeWatched();
  }
  for (const inferd_batch* const batch : finished) host->finish(batch);
}

// Never blocks. The listener takes care of unfinished executions and of the process's end.
std::vector<const inferd_batch*> WorkerLink::TakeWatched() {
  {
    const base::MutexLock lock(mutex_);
    if (!watched_ || reading_) return {};
    reading_ = true;
    watched_ = false;
  }
  const Reading reading(*this, Reading::Begun{});
  goes_on_ = false;
  try {
    auto arrived = PythonProcess::Arrived::kMessage;
    for (int messages = 0; messages < kWatchedMessagesMax && !executions_.empty(); ++messages) {
      arrived = process_.Look();
      if (arrived != PythonProcess::Arrived::kMessage) break;
      if (const base::Status status = TakeMessage(/*only_log=*/false); !status.ok()) process_.Fail(status);
      SendOutbox();
    }
    // Watch again: the thread that began the next execution may have returned to other work.
    const bool waits = !goes_on_ && arrived == PythonProcess::Arrived::kNothing && !process_.has_unsent();
    if (!executions_.empty() && waits && !process_.is_half()) BeginWatch();
  } catch (const std::bad_alloc&) {
    // The listener will report it.
  }
  return executions_.TakeFinished();
}

base::Status WorkerLink::Ended(const std::string& how) const {
  return base::Unavailable("Stub process '" + instance_ + "' is not healthy. The Python process " + how +
                           ", and is started anew for the next request");
}

base::Result<WorkerExecutions::Execution*> WorkerLink::Begin(const inferd_batch& batch) {
  INFERD_ASSIGN_OR_RETURN(WorkerExecutions::Execution* const execution, executions_.Add(batch, message_));
  base::Status status;
  try {
    SendOutbox();
    status = process_.Send(message_);
    alive_ = Clock::now();
    if (status.ok()) return execution;
    process_.Fail(status);
  } catch (const std::bad_alloc&) {
    status = base::ResourceExhausted("the server has no memory for it");
  }
  executions_.Drop(*execution);
  return std::unexpected(status);
}

void WorkerLink::SendOutbox() {
  for (const Outbox::Item& item : outbox_->TakeAll()) {
    if (!process_.failed()) {
      if (const base::Status sent = process_.Send(item.message, PythonProcess::Kind::kReply); !sent.ok())
        process_.Fail(sent);
    }
    if (item.resumed != 0) executions_.Resumed(item.resumed);
  }
}

// Processes one message, or the messages of other threads.
bool WorkerLink::Step(Clock::time_point until) {
  SendOutbox();
  const PythonProcess::Event event = process_.Await(outbox_->descriptor(), until);
  switch (event) {
    case PythonProcess::Event::kMessage:
      if (const base::Status status = TakeMessage(/*only_log=*/false); !status.ok()) process_.Fail(status);
      break;
    case PythonProcess::Event::kWake:
      outbox_->Drain();
      alive_ = Clock::now();
      break;
    case PythonProcess::Event::kNeither: break;
  }
  SendOutbox();
  return event != PythonProcess::Event::kNeither;
}

// A worker's message may need more memory than there is. Then the worker ends, and neither the server nor the reading
// thread.
base::Status WorkerLink::TakeMessage(bool only_log) {
  try {
    const auto message = process_.Receive();
    if (!message.has_value() || (only_log && ItemsOf(*message, "log") == nullptr)) return base::OkStatus();
    return Handle(*message);
  } catch (const std::bad_alloc&) {
    return base::ResourceExhausted("sent what there is no memory for, and was ended");
  }
}

base::Status WorkerLink::Handle(const Value& message) {
  if (const Value::Items* const line = ItemsOf(message, "log", 3)) {
    ItemReader items(*line);
    static_cast<void>(items.Text());
    const int32_t level = items.Int32();
    const std::string& text = items.Text();
    if (!items.ok()) return NoAnswer();
    log_.Write(level, text, Clock::now());
    return base::OkStatus();
  }
  alive_ = Clock::now();
  if (const Value::Items* const done = ItemsOf(message, "done", 4)) {
    return executions_.TakeResponses(*done, /*over=*/true, process_.outputs());
  }
  goes_on_ = true;
  if (const Value::Items* const some = ItemsOf(message, "responses", 5)) {
    return executions_.TakeResponses(*some, /*over=*/false, process_.outputs());
  }
  if (const Value::Items* const returned = ItemsOf(message, "returned", 2)) return executions_.TakeReturned(*returned);
  for (const char* const kind : {"ask", "used", "cancel"}) {
    const Value::Items* const ask = ItemsOf(message, kind);
    if (ask == nullptr) continue;
    INFERD_ASSIGN_OR_RETURN(const auto memory, process_.outputs().LookAll());
    return asks_->Take(*ask, memory);
  }
  if (!instance_.empty() || reply_.has_value()) return NoAnswer();
  reply_ = message;
  return base::OkStatus();
}

void WorkerLink::FinishOver() {
  for (const inferd_batch* const batch : executions_.TakeFinished()) host_.finish(batch);
}

void WorkerLink::FailPending() {
  if (!instance_.empty() && !std::exchange(said_end_, true)) {
    const std::string line = "model instance " + instance_ + ": the Python process " + *process_.end();
    host_.log(&host_, INFERD_LOG_ERROR, ToText(line));
    asks_->Close();
  }
  executions_.Fail(Ended(process_.end().value_or("has ended")));
}

}  // namespace inferd::python
