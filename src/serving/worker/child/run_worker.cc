#include "serving/worker/child/run_worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "base/system/private_memory.h"
#include "serving/enginehost/plugin_engine.h"
#include "serving/worker/channel/pinned_counters.h"
#include "serving/worker/child/hosted_model.h"
#include "serving/worker/child/remote_calls.h"
#include "serving/worker/control/control_socket.h"
#include "serving/worker/control/model_message.h"

namespace inferd::worker {

namespace {

constexpr int kExitUsage = 2;

// The worker process's main object.
class Worker final {
 public:
  explicit Worker(ControlSocket socket) : socket_(std::move(socket)) {}

  // Serves the server until the socket ends.
  base::Status Run() {
    INFERD_ASSIGN_OR_RETURN(const ControlMessage counters, socket_.Receive());
    INFERD_ASSIGN_OR_RETURN(ControlMessage order, socket_.Receive());
    base::Status status = Open(order, counters);
    if (status.ok() && order.descriptor) status = TakeCalls(ControlSocket(std::move(order.descriptor)));
    INFERD_RETURN_IF_ERROR(socket_.Send(EncodeReply(status)));
    INFERD_RETURN_IF_ERROR(status);
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(ControlMessage model, socket_.Receive());
      Host(ControlSocket(std::move(model.descriptor)));
    }
  }

 private:
  base::Status Open(const ControlMessage& message, const ControlMessage& counters) {
    INFERD_ASSIGN_OR_RETURN(const StartOrder order, DecodeStartOrder(message.text));
    if (!order.core_files) base::KeepMemoryPrivate();
    // Must come before any other thread is started.
    INFERD_RETURN_IF_ERROR(base::GiveUpLookingIntoProcesses());
    if (!order.cores.empty()) static_cast<void>(base::PinThread(order.cores).ok());
    INFERD_ASSIGN_OR_RETURN(logger_, base::Logger::Create({.format = order.log_format, .file = ""}));
    for (size_t i = 0; i < order.log_levels.size(); ++i) {
      logger_->SetEnabled(static_cast<base::LogLevel>(i), order.log_levels[i]);
    }
    INFERD_ASSIGN_OR_RETURN(auto pinned, OpenPinned(order.pinned_pool_bytes, counters.descriptor.get()));
    INFERD_ASSIGN_OR_RETURN(
        engine_, enginehost::PluginEngine::Open(
                     order.engine_library,
                     {.logger = logger_.get(), .pinned = std::move(pinned), .cpu_threads = order.process_cpu_threads}));
    return base::OkStatus();
  }

  // Returns null if the process gets no pinned memory.
  static base::Result<std::shared_ptr<enginehost::PinnedPool>> OpenPinned(uint64_t bytes, int descriptor) {
    if (bytes == 0) return nullptr;
    INFERD_ASSIGN_OR_RETURN(const auto counters, PinnedCounters::Open(descriptor));
    return std::make_shared<enginehost::PinnedPool>(bytes, PinnedCounters::Use(counters));
  }

  // Starts to serve the models' requests to the server. Runs on a detached thread, too, see Host().
  base::Status TakeCalls(ControlSocket socket) {
    calls_ = std::make_unique<RemoteCalls>(std::move(socket));
    try {
      std::thread([calls = calls_.get()] { calls->Run(); }).detach();
    } catch (const std::system_error& error) {
      return base::ResourceExhausted(std::string("no thread for what models ask of the server: ") + error.what());
    }
    engine_->CallWith(calls_.get());
    return base::OkStatus();
  }

  // Runs the model on a detached thread: the process exits whatever its threads do, and this object lives until then.
  void Host(ControlSocket socket) {
    const auto model = std::make_shared<HostedModel>(*engine_, std::move(socket));
    try {
      std::thread([model] { static_cast<void>(model->Run()); }).detach();
    } catch (const std::system_error& error) {
      model->Refuse(base::ResourceExhausted(std::string("no thread for a model: ") + error.what()));
    }
  }

  ControlSocket socket_;
  std::unique_ptr<base::Logger> logger_;
  std::unique_ptr<RemoteCalls> calls_;  // null if the server takes no calls
  std::unique_ptr<enginehost::PluginEngine> engine_;
};

bool IsSocket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

}  // namespace

int RunWorker() {
  if (!IsSocket(kWorkerSocket)) {
    std::cerr
        << "inferd-worker: is started by inferd, for models with inferd { isolation: PROCESS } or ENGINE_PROCESS\n";
    return kExitUsage;
  }
  // Processes that an engine starts must not inherit the socket.
  fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC);
  // An engine that hangs while it loads would not notice the socket's end.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Worker worker{ControlSocket(base::FileDescriptor(kWorkerSocket))};
  static_cast<void>(worker.Run());
  // Exit at once, whatever the engine's threads do: the system takes back all resources with the process.
  _exit(0);
}

}  // namespace inferd::worker
