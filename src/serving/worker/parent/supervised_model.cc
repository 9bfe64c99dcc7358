#include "serving/worker/parent/supervised_model.h"

#include <algorithm>
#include <utility>

namespace inferd::worker {

namespace {

constexpr std::chrono::seconds kUnloadMax{3};
constexpr int64_t kNsPerMs = 1'000'000;
// A restarted process gets this multiple of the first load's time: the model's files may not be in the page cache any
// more.
constexpr int kRestoreTimes = 4;

std::shared_ptr<BodyMemory> MakeBodies(const core::LoadSpec& load, base::Logger* logger) {
  auto made = BodyMemory::Create(load.config->worker.body_memory_bytes);
  if (made.has_value()) return *std::move(made);
  if (logger != nullptr) {
    logger->Warning("requests' bodies will be copied for the worker process",
                    {{"model", load.model_name}, {"reason", made.error().message()}});
  }
  return nullptr;
}

}  // namespace

base::Status SupervisedModel::Unloading() { return base::Unavailable("the model is being unloaded"); }

SupervisedModel::SupervisedModel(core::LoadSpec load, std::chrono::milliseconds patience, base::Logger* logger)
    : load_(std::move(load)),
      title_(load_.model_name + "/" + std::to_string(load_.version)),
      patience_(patience),
      bodies_(MakeBodies(load_, logger)) {}

base::Status SupervisedModel::Load(const std::shared_ptr<WorkerProcess>& process) {
  INFERD_ASSIGN_OR_RETURN(const auto socket, process->OpenModel());
  {
    base::MutexLock lock(mutex_);
    if (state_ == State::kClosed) return Unloading();
    socket_ = socket;
  }
  const Clock::time_point begun = Clock::now();
  const bool again = descriptions_ != nullptr;
  const Clock::duration most = RestoreMax();
  base::Status status = LoadInto(process, *socket, again ? begun + most : ControlSocket::kForever);
  if (status == ControlSocket::Late()) {
    const auto most_ms = std::chrono::duration_cast<std::chrono::milliseconds>(most).count();
    process->life().Kill(base::Unavailable("its worker process did not load a model again within " +
                                           std::to_string(most_ms) + " ms, and was ended"));
    status = ControlSocket::Gone();
  }
  base::MutexLock lock(mutex_);
  if (!again) took_ += Clock::now() - begun;
  if (state_ == State::kClosed) return Unloading();
  if (!status.ok()) socket_.reset();
  return status;
}

SupervisedModel::Clock::duration SupervisedModel::RestoreMax() {
  base::MutexLock lock(mutex_);
  return std::max<Clock::duration>(patience_, kRestoreTimes * took_);
}

base::Status SupervisedModel::LoadInto(const std::shared_ptr<WorkerProcess>& process, ControlSocket& socket,
                                       Clock::time_point deadline) {
  const int bodies = bodies_ == nullptr ? -1 : bodies_->descriptor();
  INFERD_ASSIGN_OR_RETURN(const std::string reply, Order(socket, EncodeLoadOrder(load_), bodies, deadline));
  INFERD_RETURN_IF_ERROR(ReadDescriptions(reply));
  std::vector<InstanceOrder> wanted;
  {
    base::MutexLock lock(mutex_);
    wanted = orders_;
  }
  std::vector<std::shared_ptr<const Callers>> callers;
  for (const InstanceOrder& order : wanted) {
    INFERD_ASSIGN_OR_RETURN(auto made, MakeInstance(process, socket, order, deadline));
    callers.push_back(std::move(made));
  }
  std::shared_ptr<ReadinessLine> readiness;
  if (descriptions_->front().checks_readiness) {
    INFERD_ASSIGN_OR_RETURN(readiness, ReadinessLine::Open(socket, deadline));
  }
  base::MutexLock lock(mutex_);
  if (state_ == State::kClosed) return Unloading();
  readiness_ = std::move(readiness);
  process_ = process;
  loads_.fetch_add(1, std::memory_order_release);
  // Instances may have been removed meanwhile.
  removed_ = static_cast<uint32_t>(callers.size() - orders_.size());
  callers.resize(orders_.size());
  callers_ = std::move(callers);
  state_ = State::kUp;
  given_up_ = false;
  changed_.NotifyAll();
  return base::OkStatus();
}

base::Status SupervisedModel::ReadDescriptions(std::string_view reply) {
  INFERD_ASSIGN_OR_RETURN(auto descriptions, DecodeDescriptions(reply));
  if (descriptions_ == nullptr) {
    descriptions_ = std::make_shared<const std::vector<ModelDescription>>(std::move(descriptions));
  } else if (EncodeDescriptions(*descriptions_) != reply) {
    return base::FailedPrecondition("the model has changed since it was loaded; load it again");
  }
  return base::OkStatus();
}

base::Result<std::shared_ptr<const SupervisedModel::Callers>> SupervisedModel::MakeInstance(
    const std::shared_ptr<WorkerProcess>& process, ControlSocket& socket, const InstanceOrder& order,
    Clock::time_point deadline) {
  const ModelDescription& description = descriptions_->at(order.signature);
  auto callers = std::make_shared<Callers>();
  const auto calls = std::make_shared<InstanceCalls>();
  InstanceOrder numbered = order;
  for (int i = 0; i < description.unfinished_executions_max; ++i) {
    INFERD_ASSIGN_OR_RETURN(auto memory, ChannelMemory::Create(load_.config->worker.shared_memory_bytes));
    numbered.channel = process->NextChannel();
    numbered.further = i > 0;
    if (numbered.further) numbered.removed = 0;
    const auto made = Order(socket, EncodeInstanceOrder(numbered), memory->descriptor(), deadline);
    if (!made.has_value()) return std::unexpected(made.error());
    memory->Sent();
    callers->push_back(std::make_shared<ChannelCaller>(
        std::move(memory), bodies_, std::shared_ptr<WorkerLife>(process, &process->life()),
        std::shared_ptr<const ModelDescription>(descriptions_, &description),
        static_cast<int64_t>(load_.config->worker.hang_timeout_ms) * kNsPerMs, calls));
    process->AddChannel(numbered.channel, callers->back());
  }
  return callers;
}

base::Result<size_t> SupervisedModel::AddInstance(const InstanceOrder& order) {
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const auto process, AwaitUp());
    base::MutexLock turn(process->turn());
    // The load of another model ended the process while it held the turn.
    if (process->ending()) continue;
    auto added = AddInstanceTo(process, order);
    if (added.has_value() || added.error() != ControlSocket::Gone()) return added;
    process->Abandon();
    turn.unlock();
    return std::unexpected(process->LossWhile("it made an instance"));
  }
}

base::Result<std::shared_ptr<WorkerProcess>> SupervisedModel::AwaitUp() {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (state_ == State::kDown || state_ == State::kClosed) return std::unexpected(why_);
    if (state_ == State::kUp && !process_->ending()) return process_;
    changed_.Wait(mutex_);
  }
}

base::Result<size_t> SupervisedModel::AddInstanceTo(const std::shared_ptr<WorkerProcess>& process,
                                                    const InstanceOrder& order) {
  std::shared_ptr<ControlSocket> socket;
  InstanceOrder next = order;
  {
    base::MutexLock lock(mutex_);
    if (socket_ == nullptr || process_ != process) return std::unexpected(ControlSocket::Gone());
    socket = socket_;
    next.removed = std::exchange(removed_, 0);
  }
  const Clock::time_point begun = Clock::now();
  INFERD_ASSIGN_OR_RETURN(auto callers, MakeInstance(process, *socket, next, ControlSocket::kForever));
  base::MutexLock lock(mutex_);
  took_ += Clock::now() - begun;
  if (state_ != State::kUp || process_ != process) return std::unexpected(ControlSocket::Gone());
  orders_.push_back(order);
  callers_.push_back(std::move(callers));
  return orders_.size() - 1;
}

void SupervisedModel::RemoveInstance(size_t instance) {
  base::MutexLock lock(mutex_);
  if (instance + 1 != orders_.size()) return;
  orders_.pop_back();
  if (callers_.size() <= orders_.size()) return;  // it is in no process
  callers_.pop_back();
  ++removed_;
}

base::Result<std::shared_ptr<const SupervisedModel::Callers>> SupervisedModel::CallersOf(size_t instance) {
  base::MutexLock lock(mutex_);
  for (;;) {
    if (state_ == State::kDown || state_ == State::kClosed) return std::unexpected(why_);
    if (auto callers = WaysTo(instance)) return callers;
    changed_.Wait(mutex_);
  }
}

std::shared_ptr<const SupervisedModel::Callers> SupervisedModel::CallersNow(size_t instance) {
  base::MutexLock lock(mutex_);
  return WaysTo(instance);
}

std::shared_ptr<const SupervisedModel::Callers> SupervisedModel::WaysTo(size_t instance) const {
  // The process may be lost although its end was not waited for yet.
  const bool there = state_ == State::kUp && instance < callers_.size() && !callers_[instance]->front()->lost();
  return there ? callers_[instance] : nullptr;
}

base::Status SupervisedModel::Available() {
  base::MutexLock lock(mutex_);
  return given_up_ || state_ == State::kClosed ? why_ : base::OkStatus();
}

base::Status SupervisedModel::CheckReady() {
  std::shared_ptr<ReadinessLine> line;
  {
    base::MutexLock lock(mutex_);
    if (state_ == State::kDown || state_ == State::kClosed) return why_;
    if (state_ == State::kStarting) return base::Unavailable("the model's worker process is being started");
    line = readiness_;
  }
  if (line == nullptr) return base::OkStatus();
  const base::Status said = line->Ask();
  return said == ControlSocket::Gone() ? base::Unavailable("the model's worker process has ended") : said;
}

void SupervisedModel::Lose(const base::Status& why, bool at_once) {
  base::MutexLock lock(mutex_);
  if (state_ == State::kClosed) return;
  process_.reset();
  socket_.reset();
  readiness_.reset();
  callers_.clear();
  state_ = at_once ? State::kStarting : State::kDown;
  given_up_ |= !at_once;
  why_ = why;
  changed_.NotifyAll();
}

void SupervisedModel::Expect() {
  base::MutexLock lock(mutex_);
  if (state_ == State::kDown) state_ = State::kStarting;
}

void SupervisedModel::Close() {
  std::shared_ptr<ControlSocket> socket;
  bool was_up = false;
  {
    base::MutexLock lock(mutex_);
    was_up = state_ == State::kUp;
    state_ = State::kClosed;
    why_ = Unloading();
    process_.reset();
    readiness_.reset();
    callers_.clear();
    socket = std::move(socket_);
    changed_.NotifyAll();
  }
  if (socket == nullptr) return;
  if (was_up) static_cast<void>(socket->AwaitEnd(kUnloadMax));
  // Wakes a thread that waits there for the end of the model's load.
  socket->Shutdown();
}

}  // namespace inferd::worker
