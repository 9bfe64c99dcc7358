#include "worker/run_worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "enginehost/plugin_engine.h"
#include "worker/control_socket.h"
#include "worker/hosted_instance.h"
#include "worker/model_message.h"

namespace inferd::worker {

namespace {

constexpr int kExitUsage = 2;

// All that this process is there for.
class Worker final {
 public:
  explicit Worker(ControlSocket socket) : socket_(std::move(socket)) {}

  // Until the socket ends.
  base::Status Run() {
    INFERD_ASSIGN_OR_RETURN(const ControlMessage order, socket_.Receive());
    if (const base::Status status = Load(order); !status.ok()) return socket_.Send(EncodeReply(status));
    INFERD_RETURN_IF_ERROR(socket_.Send(EncodeReply(base::OkStatus(), EncodeDescriptions(Descriptions()))));
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const ControlMessage next, socket_.Receive());
      INFERD_RETURN_IF_ERROR(socket_.Send(EncodeReply(AddInstance(next))));
    }
  }

 private:
  base::Status Load(const ControlMessage& message) {
    INFERD_ASSIGN_OR_RETURN(const StartOrder order, DecodeStartOrder(message.text));
    if (message.descriptor) {
      INFERD_ASSIGN_OR_RETURN(bodies_, BodyView::Open(message.descriptor.get()));
    }
    load_ = order.load;
    // Before there is any other thread: all of them keep to what its instances run on.
    const base::CpuCores cores = load_.AllCores();
    if (!cores.empty()) static_cast<void>(base::PinThread(cores).ok());
    INFERD_ASSIGN_OR_RETURN(logger_, base::Logger::Create({.format = order.log_format, .file = ""}));
    for (size_t i = 0; i < order.log_levels.size(); ++i) {
      logger_->SetEnabled(static_cast<base::LogLevel>(i), order.log_levels[i]);
    }
    INFERD_ASSIGN_OR_RETURN(
        engine_, enginehost::PluginEngine::Open(order.engine_library,
                                                {.logger = logger_.get(), .cpu_threads = order.process_cpu_threads}));
    INFERD_ASSIGN_OR_RETURN(auto model, engine_->Load(load_));
    models_.push_back(std::move(model));
    for (auto& other : models_[0]->OtherSignatures()) models_.push_back(std::move(other));
    return base::OkStatus();
  }

  static ModelDescription Describe(const core::EngineModel& model) {
    ModelDescription description{.signature = model.signature(), .compute_threads = model.compute_threads()};
    for (size_t i = 0; i < description.signature.inputs.size(); ++i) {
      const int input = static_cast<int>(i);
      description.inputs.push_back(
          {.alignment = model.input_alignment(input), .one_piece = model.wants_one_piece(input)});
    }
    const auto names = model.significant_parameters();
    description.significant_parameters.assign(names.begin(), names.end());
    return description;
  }

  std::vector<ModelDescription> Descriptions() const {
    std::vector<ModelDescription> descriptions;
    for (const auto& model : models_) descriptions.push_back(Describe(*model));
    return descriptions;
  }

  base::Status AddInstance(const ControlMessage& message) {
    INFERD_ASSIGN_OR_RETURN(const InstanceOrder order, DecodeInstanceOrder(message.text));
    INFERD_ASSIGN_OR_RETURN(auto memory, ChannelMemory::Open(message.descriptor.get()));
    if (order.signature >= models_.size()) return base::InvalidArgument("the model has no such signature");
    const base::OnCpuCores here(load_.GroupCores(order.group));
    INFERD_ASSIGN_OR_RETURN(auto instance, models_[order.signature]->CreateInstance(order.group, order.ordinal));
    instances_.push_back(
        std::make_unique<HostedInstance>(std::move(instance), std::move(memory), bodies_, load_.model_name));
    return base::OkStatus();
  }

  ControlSocket socket_;
  std::unique_ptr<base::Logger> logger_;
  std::unique_ptr<enginehost::PluginEngine> engine_;
  std::shared_ptr<const BodyView> bodies_;  // null: the server shows none
  core::LoadSpec load_;
  std::vector<std::unique_ptr<core::EngineModel>> models_;  // one, as each of its signatures
  std::vector<std::unique_ptr<HostedInstance>> instances_;
};

bool IsSocket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

}  // namespace

int RunWorker() {
  if (!IsSocket(kWorkerSocket)) {
    std::cerr << "inferd-worker: is started by inferd, for models with inferd { isolation: PROCESS }\n";
    return kExitUsage;
  }
  // What an engine starts must not hold the socket open.
  fcntl(kWorkerSocket, F_SETFD, FD_CLOEXEC);
  // An engine that is stuck while it loads would not notice the socket's end.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Worker worker{ControlSocket(base::FileDescriptor(kWorkerSocket))};
  static_cast<void>(worker.Run());
  // At once, whatever the engine's threads are at: with the process, all that it has goes back to the system.
  _exit(0);
}

}  // namespace inferd::worker
