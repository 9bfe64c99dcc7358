#include "engines/python/worker_link.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engines/kit/parameters.h"
#include "engines/python/message/execution_writer.h"
#include "engines/python/message/response_reader.h"
#include "engines/python/message/value_parts.h"

namespace inferd::python {

namespace {

using Clock = std::chrono::steady_clock;
using kit::Progress;

// For so long after an execution, none else reads: another one is likely, and handing over would cost more than it.
constexpr std::chrono::milliseconds kQuiet{50};
// For so long Execute() waits itself: its thread may be one that others wait for, and handing over costs little beside
// what took longer.
constexpr std::chrono::milliseconds kHeld{2};
// What a watched execution may say before the listener reads: its responses, and what the model writes into the log.
constexpr int kWatchedMessagesMax = 64;
// How long one that was told to end may still say what is to be logged.
constexpr std::chrono::seconds kLastLinesPatience{5};
constexpr std::chrono::hours kLongTime{1};

base::Status Hanging() { return base::DeadlineExceeded("did not answer in time, and was ended"); }

base::Status NoAnswer() { return base::Internal("answers what was not asked, and was ended"); }

// An execution whose response may be followed by another one.
struct Resumption {
  const inferd_host* host = nullptr;
  const inferd_batch* batch = nullptr;
  size_t request = 0;
  std::shared_ptr<Outbox> outbox;
  uint64_t execution = 0;
  uint64_t ticket = 0;
};

MarshalWriter TakenMessage(uint64_t ticket, bool cancelled) {
  MarshalWriter taken;
  taken.Tuple(3);
  taken.Text("taken");
  taken.Uint(ticket);
  taken.Bool(cancelled);
  return taken;
}

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
                                         [this](uint64_t number) {
                                           const auto found = running_.find(number);
                                           return found == running_.end() ? nullptr : found->second.batch;
                                         })),
      log_(host) {
  const base::MutexLock lock(watch_->mutex);
  watch_->link = this;
}

// What the model still says is heard, so that it can say goodbye.
WorkerLink::~WorkerLink() {
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
  const auto until = Clock::now() + kLastLinesPatience;
  // Not for longer, should it never stop.
  while (Clock::now() < until && process_.Await(-1, until) == PythonProcess::Event::kMessage) {
    static_cast<void>(TakeMessage(/*only_log=*/true));
  }
  asks_->Close();
}

base::Result<Value> WorkerLink::Exchange(const MarshalWriter& message, std::chrono::milliseconds patience) {
  reply_.reset();
  // How it has ended says more than that it takes nothing.
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

void WorkerLink::Serve(std::string instance, std::chrono::milliseconds patience, TakeBack take_back) {
  instance_ = std::move(instance);
  take_back_ = std::move(take_back);
  log_.SetInstance(instance_);
  patience_ = patience;
  listener_ = std::thread([this] { Listen(); });
}

bool WorkerLink::usable() {
  const Reading reading(*this);
  return !process_.failed();
}

bool WorkerLink::idle() {
  const Reading reading(*this);
  return running_.empty();
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
  link_.unfinished_ = !link_.running_.empty();
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
      // Clients that hold a response up may still let it go.
      if (!running_.empty()) outbox_->Await(kQuiet);
      SendOutbox();
    } else if (!process_.failed()) {
      Step(unfinished ? alive_ + patience_ : Clock::now() + kLongTime);
      if (!running_.empty() && Clock::now() >= alive_ + patience_) process_.Fail(Hanging());
    }
    const bool ends = process_.failed() && !process_.end().has_value();
    FinishOver();
    const bool over = process_.end().has_value() && running_.empty();
    lock.lock();
    reading_ = listening_ = false;
    unfinished_ = !running_.empty();
    changed_.NotifyAll();
    if (over) return;
    if (!ends) continue;
    // A thread that begins an execution meanwhile is told at once, and waits for no process.
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
  // What it has started may still take messages.
  if (process_.failed()) return std::unexpected(Ended("has ended"));
  const bool watchable = running_.empty() || reading.was_watched();
  const uint64_t number = ++last_;
  const auto begun = Begin(number, batch);
  if (!begun.has_value()) return std::unexpected(process_.failed() ? Ended("has ended") : begun.error());
  Running& running = **begun;
  if (watchable && !process_.has_unsent() && BeginWatch()) {
    running.pending = true;
    return Progress::kPending;
  }
  const auto until = Clock::now() + kHeld;
  // Lines of the log may come without end. What is over of others is not held up.
  while (!running.returned && finished_.empty() && Clock::now() < until && Step(until)) {
  }
  // A process that has failed meanwhile is the listener's to wait for, which finishes its executions then.
  running.pending = !running.over || running.held > 0;
  if (running.pending) return Progress::kPending;
  Forget(number);
  return Progress::kFinished;
}

bool WorkerLink::BeginWatch() {
  if (!INFERD_HAS_FIELD(inferd_host, &host_, await_readable)) return false;
  using Held = std::shared_ptr<Watch>;
  const auto ready = [](void* arg) { OnReadable(*std::unique_ptr<Held>(static_cast<Held*>(arg))); };
  auto held = std::make_unique<Held>(watch_);
  if (host_.await_readable(&host_, process_.descriptor(), ready, held.get()) == 0) return false;
  held.release();  // NOLINT(bugprone-unused-return-value): `ready` has it
  const base::MutexLock lock(mutex_);
  watched_ = true;
  return true;
}

// What is finished may begin the next execution, and have the link go: nothing is held then.
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

// Without waiting. What is not over then is left to the listener, as is the end of the process.
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
    for (int messages = 0; messages < kWatchedMessagesMax && !running_.empty(); ++messages) {
      arrived = process_.Look();
      if (arrived != PythonProcess::Arrived::kMessage) break;
      if (const base::Status status = TakeMessage(/*only_log=*/false); !status.ok()) process_.Fail(status);
      SendOutbox();
    }
    // The thread that has begun the next one may have been told of this, and has gone on with something else.
    const bool waits = !goes_on_ && arrived == PythonProcess::Arrived::kNothing && !process_.has_unsent();
    if (!running_.empty() && waits && !process_.is_half()) BeginWatch();
  } catch (const std::bad_alloc&) {
    // The listener will say so.
  }
  return std::exchange(finished_, {});
}

base::Status WorkerLink::Ended(const std::string& how) const {
  return base::Unavailable("Stub process '" + instance_ + "' is not healthy. The Python process " + how +
                           ", and is started anew for the next request");
}

base::Result<WorkerLink::Running*> WorkerLink::Begin(uint64_t number, const inferd_batch& batch) {
  std::vector<inferd_memory> pieces;
  for (size_t i = 0; i < batch.input_count; ++i) {
    pieces.insert(pieces.end(), batch.inputs[i]->pieces, batch.inputs[i]->pieces + batch.inputs[i]->piece_count);
  }
  INFERD_ASSIGN_OR_RETURN(const InputBlocks::Block block, process_.inputs()->Add(pieces));
  base::Status status;
  try {
    // All that needs memory comes before it is sent: what the worker answers finds it here.
    Running& running = running_[number];
    running.batch = &batch;
    running.inputs = block;
    running.answered.assign(batch.request_count, false);
    WriteExecution(
        {.host = host_, .number = number, .batch = batch, .block = block, .bytes = process_.inputs()->bytes()},
        message_);
    SendOutbox();
    status = process_.Send(message_);
    alive_ = Clock::now();
    if (status.ok()) return &running;
    process_.Fail(status);
  } catch (const std::bad_alloc&) {
    status = base::ResourceExhausted("the server has no memory for it");
  }
  running_.erase(number);
  process_.inputs()->Give(block);
  return std::unexpected(status);
}

void WorkerLink::SendOutbox() {
  for (const Outbox::Item& item : outbox_->TakeAll()) {
    if (!process_.failed()) {
      if (const base::Status sent = process_.Send(item.message, PythonProcess::Kind::kReply); !sent.ok())
        process_.Fail(sent);
    }
    if (item.resumed != 0) Resumed(item.resumed);
  }
}

// One message, or what other threads have left.
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

// There may be no memory for what a worker says, or describes. Then it ends, and not the server, nor the thread that
// others wait for to have read.
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
  if (const Value::Items* const done = ItemsOf(message, "done", 4)) return HandleResponses(*done, true);
  goes_on_ = true;
  if (const Value::Items* const some = ItemsOf(message, "responses", 5)) return HandleResponses(*some, false);
  if (const Value::Items* const returned = ItemsOf(message, "returned", 2)) {
    ItemReader items(*returned);
    static_cast<void>(items.Text());
    if (const auto found = running_.find(items.Uint()); found != running_.end()) found->second.returned = true;
    return items.ok() ? base::OkStatus() : NoAnswer();
  }
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

// ("responses", number, bytes, ticket, responses), which is confirmed, or at last ("done", number, bytes, responses).
base::Status WorkerLink::HandleResponses(const Value::Items& message, bool over) {
  ItemReader items(message);
  static_cast<void>(items.Text());
  const uint64_t number = items.Uint();
  const uint64_t bytes = items.Uint();
  const uint64_t ticket = over ? 0 : items.Uint();
  const Value::Items& responses = items.Items();
  const auto found = running_.find(number);
  if (!items.Finished() || found == running_.end() || found->second.over) return NoAnswer();
  INFERD_ASSIGN_OR_RETURN(const std::span<const std::byte> memory, process_.outputs().Look(bytes));
  INFERD_RETURN_IF_ERROR(Respond(number, responses, TensorMemory(memory), ticket));
  if (over) found->second.over = found->second.returned = true;
  FinishIfOver(number);
  return base::OkStatus();
}

base::Status WorkerLink::Respond(uint64_t number, const Value::Items& responses, TensorMemory memory, uint64_t ticket) {
  Running& running = running_[number];
  std::optional<size_t> goes_on;
  for (const Value& response : responses) {
    INFERD_ASSIGN_OR_RETURN(const SentResponse sent, SendResponse(host_, *running.batch, response, memory));
    if (!sent.final) {
      goes_on = sent.request;
    } else if (sent.request == INFERD_ALL_REQUESTS) {
      running.answered.assign(running.answered.size(), true);
    } else {
      running.answered[sent.request] = true;
    }
  }
  if (ticket == 0) return base::OkStatus();
  if (goes_on.has_value() && *goes_on < running.answered.size()) {
    Hold(number, *goes_on, ticket);
  } else {
    outbox_->Push(TakenMessage(ticket, false));
  }
  return base::OkStatus();
}

// The worker goes on with that request once its client takes more.
void WorkerLink::Hold(uint64_t number, size_t request, uint64_t ticket) {
  Running& running = running_[number];
  if (host_.may_respond(running.batch, request) != 0) {
    return outbox_->Push(TakenMessage(ticket, host_.is_cancelled(running.batch, request) != 0));
  }
  ++running.held;
  const auto resume = [](void* arg) {
    const std::unique_ptr<Resumption> held(static_cast<Resumption*>(arg));
    const bool cancelled = held->host->is_cancelled(held->batch, held->request) != 0;
    held->outbox->Push(TakenMessage(held->ticket, cancelled), held->execution);
  };
  host_.when_may_respond(running.batch, request, resume,
                         new Resumption{.host = &host_,
                                        .batch = running.batch,
                                        .request = request,
                                        .outbox = outbox_,
                                        .execution = number,
                                        .ticket = ticket});
}

void WorkerLink::Resumed(uint64_t number) {
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  --found->second.held;
  FinishIfOver(number);
}

void WorkerLink::FinishIfOver(uint64_t number) {
  const auto found = running_.find(number);
  const Running& running = found->second;
  if (!running.pending || !running.over || running.held > 0) return;
  const inferd_batch* const batch = running.batch;
  Forget(number);
  finished_.push_back(batch);
}

void WorkerLink::Forget(uint64_t number) {
  const auto found = running_.find(number);
  process_.inputs()->Give(found->second.inputs);
  running_.erase(found);
}

void WorkerLink::FinishOver() {
  for (const inferd_batch* const batch : std::exchange(finished_, {})) host_.finish(batch);
}

void WorkerLink::NoteEnd() {
  if (begun_.has_value() || running_.empty()) return;
  begun_ = std::ranges::min_element(running_, {}, [](const auto& each) { return each.first; })->first;
}

// Where one is executed after the other, the worker had begun the first of them at most.
bool WorkerLink::WasBegun(uint64_t number) const {
  return take_back_ == nullptr || !begun_.has_value() || number <= *begun_;
}

void WorkerLink::GiveBack() {
  NoteEnd();
  for (auto each = running_.begin(); each != running_.end();) {
    const auto found = each++;
    if (WasBegun(found->first) || !found->second.pending) continue;
    const inferd_batch* const batch = found->second.batch;
    Forget(found->first);
    take_back_(*batch);
  }
}

void WorkerLink::FailPending() {
  if (!instance_.empty() && !std::exchange(said_end_, true)) {
    const std::string line = "model instance " + instance_ + ": the Python process " + *process_.end();
    host_.log(&host_, INFERD_LOG_ERROR, ToText(line));
    asks_->Close();
  }
  const base::Status why = Ended(process_.end().value_or("has ended"));
  const inferd_response failure = FailureOf(why);
  GiveBack();
  std::vector<uint64_t> over;
  for (auto& [number, running] : running_) {
    if (!running.pending) continue;
    for (size_t i = 0; i < running.answered.size() && !running.over; ++i) {
      if (!running.answered[i]) host_.respond(running.batch, i, &failure);
    }
    running.over = true;
    over.push_back(number);
  }
  for (const uint64_t number : over) FinishIfOver(number);
}

}  // namespace inferd::python
