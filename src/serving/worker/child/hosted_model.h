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
// The server sees its socket end when nothing of the model is left. Not thread-safe.
class HostedModel final {
 public:
  // `engine` outlives it.
  HostedModel(enginehost::PluginEngine& engine, ControlSocket socket) : engine_(engine), socket_(std::move(socket)) {}
  ~HostedModel();
  HostedModel(const HostedModel&) = delete;
  HostedModel& operator=(const HostedModel&) = delete;

  // Until the socket ends. The calling thread, and all that are made for the model, keep to what its instances run on.
  base::Status Run();
  // Instead: answers the order to load with that error.
  void Refuse(const base::Status& why);

 private:
  base::Status Load(const ControlMessage& message);
  base::Status AddInstance(const ControlMessage& message);
  base::Status AnswerReadiness(base::FileDescriptor socket);
  base::Status AddChannel(std::shared_ptr<ChannelMemory> memory, uint64_t channel);
  std::vector<ModelDescription> Descriptions() const;

  enginehost::PluginEngine& engine_;
  ControlSocket socket_;                    // first: it ends after the others
  std::shared_ptr<const BodyView> bodies_;  // null: the server shows none
  core::LoadSpec load_;
  std::vector<std::unique_ptr<core::EngineModel>> models_;  // one, as each of its signatures
  std::vector<std::unique_ptr<HostedInstance>> instances_;
  std::unique_ptr<ControlSocket> readiness_;  // on which the server asks; null: the model says nothing of it
  std::thread readiness_thread_;
};

}  // namespace inferd::worker
