#include "serving/worker/parent/supervisor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kDismissalMax{3};
constexpr int64_t kNsPerMs = 1'000'000;

int64_t NowNs() { return base::SystemClock().NowNs(); }

}  // namespace

Supervisor::Supervisor(Options options) : options_(std::move(options)), thread_([this] { Run(); }) {}

Supervisor::~Supervisor() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

base::Result<std::shared_ptr<SupervisedModel>> Supervisor::Host(const std::shared_ptr<Supervisor>& supervisor,
                                                                core::LoadSpec load) {
  const Options& options = supervisor->options_;
  auto model = std::make_shared<SupervisedModel>(std::move(load), options.patience, options.logger);
  INFERD_RETURN_IF_ERROR(supervisor->Join(model));
  SupervisedModel* const seen = model.get();
  return std::shared_ptr<SupervisedModel>(seen, [supervisor, model](SupervisedModel*) { supervisor->Leave(model); });
}

base::Status Supervisor::Join(const Model& model) {
  {
    base::MutexLock lock(mutex_);
    ++waiting_;
    changed_.NotifyAll();
  }
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const Process process, AwaitProcess());
    base::MutexLock turn(process->turn());
    if (!Enter(process, model)) continue;
    base::Status status = model->Load(process);
    if (status.ok() && !Admit(process, model)) status = ControlSocket::Gone();
    if (status.ok()) return status;
    const bool gone = status == ControlSocket::Gone();
    if (gone) process->Abandon();
    turn.unlock();
    if (gone) status = process->LossWhile("it loaded the model");
    Leave(model);
    return status;
  }
}

base::Result<Supervisor::Process> Supervisor::AwaitProcess() {
  base::MutexLock lock(mutex_);
  const size_t failed_before = failed_starts_;
  for (;;) {
    if (process_ != nullptr && open_ && !dismissed_ && !process_->ending()) return process_;
    if (failed_starts_ != failed_before) {
      --waiting_;
      changed_.NotifyAll();
      const base::Status why = why_not_started_;
      // The next process may have been started meanwhile, for no model.
      if (!InUse()) Dismiss();
      return std::unexpected(why);
    }
    changed_.Wait(mutex_);
  }
}

// Call with the process's turn held. Returns false if the process has ended since.
bool Supervisor::Enter(const Process& process, const Model& model) {
  base::MutexLock lock(mutex_);
  if (process_ != process || dismissed_ || process->ending()) return false;
  --waiting_;
  roster_.Add(model);
  return true;
}

bool Supervisor::Admit(const Process& process, const Model& model) {
  base::MutexLock lock(mutex_);
  if (process_ != process) return false;
  roster_.Loaded(model);
  return true;
}

void Supervisor::Leave(const Model& model) {
  {
    base::MutexLock lock(mutex_);
    roster_.Remove(model);
    changed_.NotifyAll();
    if (!InUse()) Dismiss();
  }
  model->Close();
}

// The last model is not unloaded first: it ends with the process.
void Supervisor::Dismiss() {
  if (process_ != nullptr) {
    dismissed_ = true;
    process_->Dismiss();
  }
  const auto deadline = steady_clock::now() + kDismissalMax;
  while (!idle_ && !InUse() && changed_.WaitUntil(mutex_, deadline) != std::cv_status::timeout) {
  }
  if (!idle_ && !InUse() && process_ != nullptr) process_->life().Kill(SupervisedModel::Unloading());
  while (!idle_ && !InUse()) changed_.Wait(mutex_);
}

// A process ends with the thread that starts it. So this thread starts it and then waits for it.
void Supervisor::Run() {
  base::SetThreadName("worker " + options_.title);
  BackOff back_off;
  while (AwaitUse()) {
    int64_t ran_ns = 0;
    const base::Status why = RunProcess(&ran_ns);
    if (!why.ok()) Pause(back_off.NextNs(ran_ns), why);
  }
}

// Returns false if no process will be needed.
bool Supervisor::AwaitUse() {
  base::MutexLock lock(mutex_);
  while (!stopping_ && waiting_ == 0 && !roster_.any_loaded()) {
    idle_ = true;
    changed_.NotifyAll();
    changed_.Wait(mutex_);
  }
  idle_ = false;
  return !stopping_;
}

// Runs one process from start to end. Returns why it was lost, or OK if it was dismissed. Sets `ran_ns` to the time for
// which it was of use.
base::Status Supervisor::RunProcess(int64_t* ran_ns) {
  const auto started = WorkerProcess::Start(options_.program, options_.title, options_.environment);
  if (!started.has_value()) return NotStarted(started.error());
  const Process& process = *started;
  const base::Status opened = Open(process);
  const int64_t opened_ns = NowNs();
  base::Status use = opened.ok() ? Restore(process, true) : opened;
  const bool of_use = use.ok();
  while (use.ok() && !process->EndsBefore(NextDue())) use = Restore(process, false);
  if (of_use) *ran_ns = NowNs() - opened_ns;
  if (!use.ok()) process->Abandon();
  process->life().End(base::Unavailable(name() + " " + process->WaitForEnd()));
  {
    base::MutexLock lock(mutex_);
    process_.reset();
    open_ = false;
    roster_.ProcessLost();
    if (std::exchange(dismissed_, false)) return base::OkStatus();
  }
  // The server's reason if it ended the process. Otherwise the engine's own error, if it had time to send one.
  const bool silent = use.ok() || use == ControlSocket::Gone();
  if (opened.ok()) return silent ? process->life().why() : use;
  return NotStarted(silent ? process->LossWhile("it opened the engine") : opened);
}

base::Status Supervisor::Open(const Process& process) {
  {
    base::MutexLock lock(mutex_);
    process_ = process;
    dismissed_ = !InUse();
    if (dismissed_) process->Dismiss();
  }
  StartOrder order = options_.start;
  for (size_t level = 0; options_.logger != nullptr && level < order.log_levels.size(); ++level) {
    order.log_levels[level] = options_.logger->Enabled(static_cast<base::LogLevel>(level));
  }
  INFERD_RETURN_IF_ERROR(process->OpenEngine(order, options_.patience, options_.calls, options_.pinned_uses.get()));
  base::MutexLock lock(mutex_);
  open_ = true;
  changed_.NotifyAll();
  return base::OkStatus();
}

base::Status Supervisor::NotStarted(const base::Status& why) {
  base::MutexLock lock(mutex_);
  ++failed_starts_;
  why_not_started_ = why;
  changed_.NotifyAll();
  return why;
}

steady_clock::time_point Supervisor::NextDue() {
  base::MutexLock lock(mutex_);
  return roster_.NextDue();
}

// Returns why the process is of no use; ControlSocket::Gone() if it is ending.
base::Status Supervisor::Restore(const Process& process, bool fresh) {
  std::vector<Model> models;
  {
    base::MutexLock lock(mutex_);
    models = fresh ? roster_.ForNewProcess() : roster_.Due(steady_clock::now());
  }
  base::Status failed;
  for (const Model& model : models) {
    const base::Status status = RestoreOne(process, model);
    if (status == ControlSocket::Gone()) return status;
    if (failed.ok()) failed = status;
  }
  base::MutexLock lock(mutex_);
  if (!failed.ok() && waiting_ == 0 && !roster_.any_coming_or_up()) {
    process->Abandon();
    return failed;
  }
  if (fresh && !models.empty() && options_.logger != nullptr) {
    options_.logger->Info("worker process restarted", {{options_.kind, options_.title}, {"pid", process->pid()}});
  }
  return base::OkStatus();
}

base::Status Supervisor::RestoreOne(const Process& process, const Model& model) {
  base::MutexLock turn(process->turn());
  // A new model may have ended the process during its turn.
  if (process->ending()) return ControlSocket::Gone();
  base::Status status = model->Load(process);
  base::MutexLock lock(mutex_);
  if (!roster_.Has(model)) return base::OkStatus();
  const auto now = steady_clock::now();
  if (status.ok()) {
    roster_.Loaded(model);
  } else if (status == ControlSocket::Gone()) {
    process->Abandon();
    roster_.Ended(model, now);
    ended_it_ = model;
  } else {
    const nanoseconds pause = roster_.Failed(model, now);
    model->Lose(base::Unavailable(name() + " cannot load the model again: " + status.message()), false);
    if (options_.logger != nullptr) {
      options_.logger->Error(
          "model not restored",
          {{"model", model->title()}, {"reason", status.message()}, {"again_in_ms", pause.count() / kNsPerMs}});
    }
  }
  return status;
}

void Supervisor::Pause(int64_t pause_ns, const base::Status& why) {
  const auto until = steady_clock::now() + nanoseconds(pause_ns);
  const base::Status reason = why.code() == base::StatusCode::kUnavailable
                                  ? why
                                  : base::Unavailable(name() + " cannot be started: " + why.message());
  base::MutexLock lock(mutex_);
  const std::vector<Model> next = roster_.ForNewProcess();
  if (!next.empty() && options_.logger != nullptr) {
    options_.logger->Error(
        "worker process lost",
        {{options_.kind, options_.title}, {"reason", why.message()}, {"restart_in_ms", pause_ns / kNsPerMs}});
  }
  for (const Model& model : next) {
    if (model != ended_it_) model->Lose(reason, pause_ns == 0);
  }
  if (ended_it_ != nullptr) {
    const bool in_next = std::ranges::find(next, ended_it_) != next.end();
    ended_it_->Lose(base::Unavailable(reason.message() + " while it loaded the model " + ended_it_->title()),
                    in_next && pause_ns == 0);
    ended_it_.reset();
  }
  while (!stopping_ && InUse() && steady_clock::now() < until) changed_.WaitUntil(mutex_, until);
  for (const Model& model : next) model->Expect();
}

}  // namespace inferd::worker
