#include "worker/supervisor.h"

#include <chrono>

#include "base/clock.h"
#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kDismissalMax{3};
constexpr int64_t kNsPerMs = 1'000'000;

int64_t NowNs() { return base::SystemClock().NowNs(); }

int64_t HangTimeoutNs(const StartOrder& start) {
  return static_cast<int64_t>(start.load.config->worker.hang_timeout_ms) * kNsPerMs;
}

}  // namespace

Supervisor::Supervisor(Options options)
    : options_(std::move(options)),
      title_(options_.start.load.model_name + "/" + std::to_string(options_.start.load.version)),
      bodies_(MakeBodies(options_)),
      thread_([this] { Run(); }) {}

std::shared_ptr<BodyMemory> Supervisor::MakeBodies(const Options& options) {
  auto made = BodyMemory::Create(options.start.load.config->worker.body_memory_bytes);
  if (made.has_value()) return *std::move(made);
  if (options.logger != nullptr) {
    options.logger->Warning("requests' bodies will be copied for the worker process",
                            {{"model", options.start.load.model_name}, {"reason", made.error().message()}});
  }
  return nullptr;
}

base::Result<std::unique_ptr<Supervisor>> Supervisor::Start(Options options) {
  std::unique_ptr<Supervisor> supervisor(new Supervisor(std::move(options)));
  INFERD_RETURN_IF_ERROR(supervisor->AwaitFirstStart());
  return supervisor;
}

base::Status Supervisor::AwaitFirstStart() {
  base::MutexLock lock(mutex_);
  while (!started_once_) changed_.Wait(mutex_);
  return state_ == State::kStopped ? why_ : base::OkStatus();
}

Supervisor::~Supervisor() {
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    if (process_ != nullptr) process_->Dismiss();
    const auto deadline = steady_clock::now() + kDismissalMax;
    while (state_ != State::kStopped && changed_.WaitUntil(mutex_, deadline) != std::cv_status::timeout) {
    }
    if (process_ != nullptr) process_->life().Kill(base::Unavailable("the model is being unloaded"));
  }
  thread_.join();
}

// The process ends with the thread that starts it, so this one starts it and then waits for it.
void Supervisor::Run() {
  base::SetThreadName("worker " + title_);
  BackOff back_off;
  for (bool first = true;; first = false) {
    const base::Status opened = Open();
    const int64_t opened_ns = NowNs();
    std::shared_ptr<WorkerProcess> process;
    {
      base::MutexLock lock(mutex_);
      process = process_;
    }
    base::Status why = opened;
    if (!opened.ok() && process != nullptr) process->life().Kill(opened);
    if (process != nullptr) {
      const std::string how = process->WaitForEnd();
      process->life().End(Lost(how));
      // Why this server ended it, if it did; while loading, the engine's own words, unless it had no time for any.
      if (opened.ok()) why = process->life().why();
      if (opened == ControlSocket::Gone()) why = Lost(how + " while it loaded the model");
    }
    const int64_t pause_ns = back_off.NextNs(opened.ok() ? NowNs() - opened_ns : 0);
    if ((first && !opened.ok()) || !Pause(pause_ns, why)) {
      base::MutexLock lock(mutex_);
      why_ = std::move(why);
      process_.reset();
      state_ = State::kStopped;
      started_once_ = true;
      changed_.NotifyAll();
      return;
    }
  }
}

base::Status Supervisor::Lost(const std::string& how) const {
  return base::Unavailable("the worker process of model '" + title_ + "' " + how);
}

// False: nobody wants the process any more.
bool Supervisor::Pause(int64_t pause_ns, const base::Status& why) {
  const auto until = steady_clock::now() + nanoseconds(pause_ns);
  base::MutexLock lock(mutex_);
  process_.reset();
  callers_.clear();
  if (stopping_) return false;
  if (options_.logger != nullptr) {
    options_.logger->Error(
        "worker process lost",
        {{"model", title_}, {"reason", why.message()}, {"restart_in_ms", std::to_string(pause_ns / kNsPerMs)}});
  }
  why_ = why.code() == base::StatusCode::kUnavailable
             ? why
             : base::Unavailable("the worker process of model '" + title_ +
                                 "' cannot be started: " + std::string(why.message()));
  state_ = pause_ns > 0 ? State::kPausing : State::kStarting;
  if (pause_ns > 0) given_up_ = true;
  changed_.NotifyAll();
  while (!stopping_ && steady_clock::now() < until) changed_.WaitUntil(mutex_, until);
  state_ = State::kStarting;
  return !stopping_;
}

// One process, its model and its instances. On an error process_ may be set nevertheless.
base::Status Supervisor::Open() {
  INFERD_ASSIGN_OR_RETURN(auto process, WorkerProcess::Start(options_.program, title_));
  {
    base::MutexLock lock(mutex_);
    process_ = process;
    if (stopping_) return base::Unavailable("the model is being unloaded");
  }
  base::MutexLock orders(orders_mutex_);
  INFERD_RETURN_IF_ERROR(Load(*process));
  std::vector<InstanceOrder> wanted;
  {
    base::MutexLock lock(mutex_);
    wanted = orders_;
  }
  std::vector<std::shared_ptr<ChannelCaller>> callers;
  for (const InstanceOrder& order : wanted) {
    INFERD_ASSIGN_OR_RETURN(auto caller, MakeInstance(process, order));
    callers.push_back(std::move(caller));
  }
  base::MutexLock lock(mutex_);
  callers_ = std::move(callers);
  state_ = State::kUp;
  given_up_ = false;
  if (started_once_ && options_.logger != nullptr) {
    options_.logger->Info("worker process restarted", {{"model", title_}, {"pid", std::to_string(process->pid())}});
  }
  started_once_ = true;
  changed_.NotifyAll();
  return base::OkStatus();
}

base::Status Supervisor::Load(WorkerProcess& process) {
  INFERD_ASSIGN_OR_RETURN(const std::string reply, process.Order(EncodeStartOrder(options_.start),
                                                                 bodies_ == nullptr ? -1 : bodies_->descriptor()));
  INFERD_ASSIGN_OR_RETURN(auto models, DecodeDescriptions(reply));
  if (models_ == nullptr) {
    models_ = std::make_shared<const std::vector<ModelDescription>>(std::move(models));
  } else if (EncodeDescriptions(*models_) != reply) {
    return base::FailedPrecondition("the model has changed since it was loaded; load it again");
  }
  return base::OkStatus();
}

base::Result<std::shared_ptr<ChannelCaller>> Supervisor::MakeInstance(const std::shared_ptr<WorkerProcess>& process,
                                                                      const InstanceOrder& order) {
  INFERD_ASSIGN_OR_RETURN(auto memory, ChannelMemory::Create(options_.start.load.config->worker.shared_memory_bytes));
  const auto made = process->Order(EncodeInstanceOrder(order), memory->descriptor());
  if (!made.has_value()) return std::unexpected(made.error());
  memory->Sent();
  return std::make_shared<ChannelCaller>(
      std::move(memory), bodies_, std::shared_ptr<WorkerLife>(process, &process->life()),
      std::shared_ptr<const ModelDescription>(models_, &models_->at(order.signature)), HangTimeoutNs(options_.start));
}

base::Result<size_t> Supervisor::AddInstance(const InstanceOrder& order) {
  base::MutexLock orders(orders_mutex_);
  std::shared_ptr<WorkerProcess> process;
  {
    base::MutexLock lock(mutex_);
    if (state_ != State::kUp) return std::unexpected(why_);
    process = process_;
  }
  INFERD_ASSIGN_OR_RETURN(auto caller, MakeInstance(process, order));
  base::MutexLock lock(mutex_);
  orders_.push_back(order);
  callers_.push_back(std::move(caller));
  return orders_.size() - 1;
}

base::Result<std::shared_ptr<ChannelCaller>> Supervisor::CallerOf(size_t instance) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (state_ == State::kPausing || state_ == State::kStopped) return std::unexpected(why_);
    // A process that is lost may not have been waited for yet.
    if (state_ == State::kUp && instance < callers_.size() && !callers_[instance]->lost()) {
      return callers_[instance];
    }
    changed_.Wait(mutex_);
  }
}

base::Status Supervisor::Available() {
  base::MutexLock lock(mutex_);
  return given_up_ || state_ == State::kStopped ? why_ : base::OkStatus();
}

std::shared_ptr<ChannelCaller> Supervisor::CallerNow(size_t instance) {
  base::MutexLock lock(mutex_);
  if (state_ != State::kUp || instance >= callers_.size() || callers_[instance]->lost()) {
    return nullptr;
  }
  return callers_[instance];
}

}  // namespace inferd::worker
