#include "engines/python/python_instance.h"

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "engines/python/message/value_parts.h"

namespace inferd::python {

using kit::Progress;

namespace {

inferd_instance_spec Renamed(inferd_instance_spec spec, const std::string& name) {
  spec.struct_size = sizeof(spec);
  spec.name = {name.data(), name.size()};
  return spec;
}

}  // namespace

base::Result<std::unique_ptr<PythonInstance>> PythonInstance::Create(PythonModel* model,
                                                                     const inferd_instance_spec& spec) {
  std::unique_ptr<PythonInstance> instance(new PythonInstance(model, spec));
  // A worker of an earlier load is taken over when the first batch comes: the earlier load serves until then.
  if (!instance->shared_.inherited) INFERD_RETURN_IF_ERROR(instance->StartWorker());
  return instance;
}

PythonInstance::PythonInstance(PythonModel* model, const inferd_instance_spec& spec)
    : model_(*model), name_(model->InstanceName(spec)), spec_(Renamed(spec, name_)), shared_(model->Share(spec)) {
  model_.Add(this);
}

PythonInstance::~PythonInstance() {
  model_.Remove(this);
  std::thread restarter;
  {
    const base::MutexLock lock(mutex_);
    restarter = std::move(restarter_);
  }
  if (restarter.joinable()) restarter.join();
  // The loader tries a model on an instance of its own, before it creates those that serve. To import a library again
  // would take seconds.
  model_.Keep(shared_.worker->Leave(*this));
}

base::Status PythonInstance::StartWorker() {
  {
    const base::MutexLock lock(mutex_);
    ready_line_ = nullptr;
  }
  if (link_ != nullptr) left_.push_back(std::move(link_));
  std::erase_if(left_, [](const auto& link) { return link->idle(); });
  const auto take_back = [this](const inferd_batch& batch) { TakeBack(batch); };
  std::unique_ptr<WorkerLink> link = shared_.worker->Take(*this);
  if (link != nullptr && !model_.Serve(*link, name_, take_back)) link = nullptr;
  if (link == nullptr) link = model_.TakeKept(name_, take_back);
  if (link == nullptr) {
    INFERD_ASSIGN_OR_RETURN(link, model_.TakeWorker());
    INFERD_RETURN_IF_ERROR(model_.StartInstance(*link, spec_, take_back));
  }
  link_ = std::move(link);
  const base::MutexLock lock(mutex_);
  ready_line_ = link_->ready_line();
  return base::OkStatus();
}

std::optional<std::unique_ptr<WorkerLink>> PythonInstance::Yield() {
  {
    const base::MutexLock lock(mutex_);
    if (executing_ || restarting_) return std::nullopt;
    restarting_ = true;  // batches that come meanwhile are queued
  }
  // Responses of an ended worker, which clients still hold, do not keep others from starting the next worker.
  if (link_ != nullptr && !link_->usable()) left_.push_back(std::move(link_));
  const bool busy = link_ != nullptr && !link_->idle();
  std::optional<std::unique_ptr<WorkerLink>> yielded;
  if (!busy) {
    yielded = std::move(link_);
    const base::MutexLock lock(mutex_);
    ready_line_ = nullptr;
  }
  EndRestart();
  return yielded;
}

// The worker may outlive this object.
std::unique_ptr<WorkerLink> PythonInstance::GiveUp() {
  if (link_ != nullptr) static_cast<void>(link_->GiveTo(name_, nullptr));
  return std::move(link_);
}

void PythonInstance::EndRestart() {
  base::Status started;
  std::deque<const inferd_batch*> failed;
  {
    const base::MutexLock lock(mutex_);
    restarting_ = false;
    if (!queue_.empty()) started = StartRestarter();
    if (!started.ok()) failed = std::exchange(queue_, {});
  }
  for (const inferd_batch* const batch : failed) Fail(*batch, started);
}

base::Result<Progress> PythonInstance::Execute(const inferd_batch& batch) {
  if (Queue(batch)) return Progress::kPending;
  const struct Leaving {
    PythonInstance& instance;
    ~Leaving() { instance.Leave(); }
  } leaving{*this};
  if (link_ != nullptr) {
    auto progress = link_->Execute(batch);
    if (progress.has_value() || progress.error().code() != base::StatusCode::kUnavailable) return progress;
  }
  INFERD_RETURN_IF_ERROR(Restart(batch));
  return Progress::kPending;
}

bool PythonInstance::Queue(const inferd_batch& batch) {
  const base::MutexLock lock(mutex_);
  if (restarting_) queue_.push_back(&batch);
  executing_ = !restarting_;
  return restarting_;
}

void PythonInstance::Leave() {
  base::Status started;
  std::deque<const inferd_batch*> failed;
  {
    const base::MutexLock lock(mutex_);
    executing_ = false;
    if (!restarting_ && !queue_.empty()) started = StartRestarter();
    if (!started.ok()) failed = std::exchange(queue_, {});
  }
  for (const inferd_batch* const batch : failed) Fail(*batch, started);
}

void PythonInstance::TakeBack(const inferd_batch& batch) {
  base::Status started;
  {
    const base::MutexLock lock(mutex_);
    // A thread in Execute() starts the restarter when it leaves.
    if (!restarting_ && !executing_) started = StartRestarter();
    if (started.ok()) queue_.push_back(&batch);
  }
  if (!started.ok()) Fail(batch, started);
}

base::Status PythonInstance::Restart(const inferd_batch& batch) {
  // The restarter waits for this lock before it looks into the queue.
  const base::MutexLock lock(mutex_);
  queue_.push_back(&batch);
  const base::Status started = StartRestarter();
  if (!started.ok()) queue_.pop_back();
  return started;
}

base::Status PythonInstance::StartRestarter() {
  if (restarter_.joinable()) restarter_.join();  // its work is done, so it takes no lock any more
  try {
    restarter_ = std::thread([this] { RunQueue(); });
  } catch (const std::system_error& error) {
    return base::ResourceExhausted("no thread to start another Python process on: " + std::string(error.what()));
  }
  restarting_ = true;
  return base::OkStatus();
}

void PythonInstance::Revive(const std::shared_ptr<ReadyLine>& line) {
  const base::MutexLock lock(mutex_);
  // A thread that executes will notice the end of the worker itself.
  if (restarting_ || executing_ || ready_line_ != line) return;
  static_cast<void>(StartRestarter());
}

void PythonInstance::AskReady() {
  std::shared_ptr<ReadyLine> line;
  {
    const base::MutexLock lock(mutex_);
    line = ready_line_;
  }
  // Another asking thread may hold the line until the answer comes. Executions do not wait for that.
  if (line != nullptr) line->Ask();
}

base::Status PythonInstance::AwaitReady(std::chrono::steady_clock::time_point until) {
  std::shared_ptr<ReadyLine> line;
  {
    const base::MutexLock lock(mutex_);
    line = ready_line_;
  }
  // The model is as ready as on the instance that still has its worker.
  if (line == nullptr && shared_.worker->IsElsewhere(*this)) return base::OkStatus();
  const auto [said, why] = line == nullptr ? std::pair(ReadyLine::Said::kEnded, std::string()) : line->Await(until);
  switch (said) {
    case ReadyLine::Said::kReady: return base::OkStatus();
    case ReadyLine::Said::kNotReady: return base::Unavailable(why);
    case ReadyLine::Said::kNothing: return base::Unavailable("Timed out waiting for user-defined is_ready() response");
    case ReadyLine::Said::kEnded: break;
  }
  Revive(line);
  return base::Unavailable("Stub process '" + model_.InstanceName(spec_) + "' is not healthy.");
}

void PythonInstance::RunQueue() {
  base::Status started;
  try {
    // Batches of an ended worker may come back when the next one already runs.
    if (link_ == nullptr || !link_->usable()) started = StartWorker();
  } catch (const std::exception& error) {
    started = base::ResourceExhausted(error.what());
  }
  for (;;) {
    const inferd_batch* batch = nullptr;
    {
      const base::MutexLock lock(mutex_);
      restarting_ = !queue_.empty();
      if (!restarting_) return;
      batch = queue_.front();
      queue_.pop_front();
    }
    Run(*batch, started);
  }
}

// If an earlier execution ended the worker, starts it again, every time.
base::Result<Progress> PythonInstance::ExecuteOrRestart(const inferd_batch& batch, base::Status& started) {
  auto progress = ExecuteOn(started, batch);
  if (progress.has_value() || !started.ok() || progress.error().code() != base::StatusCode::kUnavailable) {
    return progress;
  }
  started = StartWorker();
  return ExecuteOn(started, batch);
}

base::Result<Progress> PythonInstance::ExecuteOn(const base::Status& started, const inferd_batch& batch) {
  if (started.ok()) return link_->Execute(batch);
  return std::unexpected(
      base::Unavailable("the Python process of instance '" + model_.InstanceName(spec_) +
                        "' has ended, and another one cannot be started: " + std::string(started.message())));
}

void PythonInstance::Run(const inferd_batch& batch, base::Status& started) {
  base::Status status;
  try {
    const auto progress = ExecuteOrRestart(batch, started);
    if (progress.has_value()) {
      if (*progress == Progress::kFinished) model_.host().finish(&batch);
      return;
    }
    status = progress.error();
  } catch (const std::bad_alloc&) {
    status = base::ResourceExhausted("the server has no memory for it");
  }
  Fail(batch, status);
}

void PythonInstance::Fail(const inferd_batch& batch, const base::Status& status) const {
  const inferd_response failure = FailureOf(status);
  model_.host().respond(&batch, INFERD_ALL_REQUESTS, &failure);
  model_.host().finish(&batch);
}

}  // namespace inferd::python
