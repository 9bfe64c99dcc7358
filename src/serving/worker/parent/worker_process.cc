#include "serving/worker/parent/worker_process.h"

#include <array>
#include <utility>

#include "serving/worker/channel/pinned_counters.h"
#include "serving/worker/child/run_worker.h"

namespace inferd::worker {

WorkerProcess::WorkerProcess(base::ChildProcess child, ControlSocket socket)
    : child_(std::move(child)), socket_(std::move(socket)), life_([this] { child_.Kill(); }, child_.pid()) {}

void WorkerProcess::Abandon() {
  abandoned_.store(true);
  child_.Kill();
}

base::Result<std::shared_ptr<WorkerProcess>> WorkerProcess::Start(const std::filesystem::path& program,
                                                                  std::string title,
                                                                  std::vector<std::string> environment) {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  const std::array descriptors = {sockets.second.descriptor()};
  static_assert(kWorkerSocket == base::ChildProcess::kFirstDescriptor);
  auto child = base::ChildProcess::Start({.program = program.string(),
                                          .arguments = {program.string(), std::move(title)},
                                          .environment = std::move(environment),
                                          .descriptors = descriptors});
  if (!child.has_value() && child.error().code() == base::StatusCode::kFailedPrecondition) {
    return std::unexpected(base::FailedPrecondition("an isolated model needs the program '" + program.string() +
                                                    "': " + std::string(child.error().message())));
  }
  if (!child.has_value()) {
    return std::unexpected(base::ResourceExhausted("no worker process: " + std::string(child.error().message())));
  }
  return std::shared_ptr<WorkerProcess>(new WorkerProcess(*std::move(child), std::move(sockets.first)));
}

WorkerProcess::~WorkerProcess() {
  if (!child_.ended()) life_.Kill(base::Unavailable("the worker process is not needed any more"));
}

base::Status WorkerProcess::LossWhile(std::string_view what) {
  return base::Unavailable(std::string(life_.AwaitLoss().message()) + " while " + std::string(what));
}

base::Status WorkerProcess::SendPinnedCounters(uint64_t pool_bytes, enginehost::PinnedUses* uses) {
  if (pool_bytes == 0) return socket_.Send("");
  INFERD_ASSIGN_OR_RETURN(const auto counters, PinnedCounters::Create());
  INFERD_RETURN_IF_ERROR(socket_.Send("", counters->descriptor()));
  counters->Sent();
  pinned_use_ = PinnedCounters::Use(counters);
  if (uses != nullptr) uses->Add(pinned_use_);
  return base::OkStatus();
}

base::Status WorkerProcess::OpenEngine(const StartOrder& order, std::chrono::milliseconds patience,
                                       core::ServerCalls* server, enginehost::PinnedUses* uses) {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  const int descriptor = server == nullptr ? -1 : sockets.second.descriptor();
  INFERD_RETURN_IF_ERROR(SendPinnedCounters(order.pinned_pool_bytes, uses));
  const auto reply = Order(socket_, EncodeStartOrder(order), descriptor, ControlSocket::Clock::now() + patience);
  if (!reply.has_value() && reply.error() == ControlSocket::Late()) {
    return base::Unavailable("the worker process did not open its engine within " + std::to_string(patience.count()) +
                             " ms, and was ended");
  }
  if (!reply.has_value()) return reply.error();
  if (server == nullptr) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(
      calls_, CallService::Start(
                  *server, std::move(sockets.first), [this](core::CallOrigin& origin) { return FindOrigin(origin); },
                  [this](const base::Status& why) {
                    life_.Kill(base::Unavailable("its worker process asked what cannot be, and was ended: " +
                                                 std::string(why.message())));
                  }));
  return base::OkStatus();
}

void WorkerProcess::AddChannel(uint64_t number, const std::shared_ptr<const ChannelCaller>& caller) {
  const base::MutexLock lock(callers_mutex_);
  std::erase_if(callers_, [](const auto& entry) { return entry.second.expired(); });
  callers_[number] = caller;
}

base::Status WorkerProcess::FindOrigin(core::CallOrigin& origin) {
  std::shared_ptr<const ChannelCaller> caller;
  {
    const base::MutexLock lock(callers_mutex_);
    if (const auto found = callers_.find(origin.channel); found != callers_.end()) caller = found->second.lock();
  }
  if (caller == nullptr) return base::FailedPrecondition("the call is made in no execution that there is");
  return caller->FindOrigin(origin);
}

base::Result<std::shared_ptr<ControlSocket>> WorkerProcess::OpenModel() {
  INFERD_ASSIGN_OR_RETURN(auto sockets, ControlSocket::MakePair());
  INFERD_RETURN_IF_ERROR(socket_.Send("", sockets.second.descriptor()));
  return std::make_shared<ControlSocket>(std::move(sockets.first));
}

}  // namespace inferd::worker
