#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "serving/enginehost/plugin_engine.h"
#include "serving/worker/channel/body_memory.h"
#include "serving/worker/child/hosted_instance.h"
#include "serving/worker/control/control_socket.h"
#include "serving/worker/control/model_message.h"

namespace inferd::worker {

// A model inside a worker process, on its own thread and its own socket:
//
//   new --load order--> loaded, or refused --instance orders--> ... --the socket's end--> unloaded, destroyed
//
// The server sees the socket end only when nothing of the model is left. Not thread-safe.
class HostedModel final {
 public:
  // `engine` must outlive the object.
  HostedModel(enginehost::PluginEngine& engine, ControlSocket socket) : engine_(engine), socket_(std::move(socket)) {}
  ~HostedModel();
  HostedModel(const HostedModel&) = delete;
  HostedModel& operator=(const HostedModel&) = delete;

  // Serves orders until the socket ends. Pins the calling thread, and all threads made for the model, to its instances'
  // cores.
  base::Status Run();
  // Call instead of Run(): answers the order to load with that error.
  void Refuse(const base::Status& why);

 private:
  base::Status Load(const ControlMessage& message);
  base::Status AddInstance(const ControlMessage& message);
  base::Status AnswerReadiness(base::FileDescriptor socket);
  base::Status AddChannel(std::shared_ptr<ChannelMemory> memory, uint64_t channel);
  std::vector<ModelDescription> Descriptions() const;

  enginehost::PluginEngine& engine_;
  ControlSocket socket_;                    // first: it must end after the others
  std::shared_ptr<const BodyView> bodies_;  // null if the server shares none
  core::LoadSpec load_;
  std::vector<std::unique_ptr<core::EngineModel>> models_;  // one model, by signature
  std::vector<std::unique_ptr<HostedInstance>> instances_;
  std::unique_ptr<ControlSocket> readiness_;  // on which the server asks. Null without a readiness check
  std::thread readiness_thread_;
};

}  // namespace inferd::worker
