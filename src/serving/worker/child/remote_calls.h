#pragma once

#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "serving/core/calls/server_calls.h"
#include "serving/worker/control/call_message.h"
#include "serving/worker/control/control_socket.h"

namespace inferd::worker {

// Sends the requests of a worker process's models to the server as messages. Thread-safe; lives as long as the process.
class RemoteCalls final : public core::ServerCalls {
 public:
  explicit RemoteCalls(ControlSocket socket) : socket_(std::move(socket)) {}

  // Takes in the answers until the socket ends. Run it on its own thread.
  void Run();

  std::shared_ptr<core::ModelCall> MakeCall(core::CallOrigin origin, std::unique_ptr<core::InferRequest> request,
                                            bool many, core::CallAnswer answer) override;
  void ModelReady(std::string model, std::string version, core::ControlCallback done) override;
  void Load(core::LoadCall call, core::ControlCallback done) override;
  void Unload(core::UnloadCall call, core::ControlCallback done) override;
  base::Result<std::shared_ptr<core::CustomMetric>> OpenMetric(const core::CustomMetricSpec& spec) override;

 private:
  class Call;
  class Metric;
  using Answer = std::move_only_function<void(ServerReply&& reply)>;

  uint64_t Expect(Answer answer);
  // Sends an order. If that fails, answers it here.
  void Send(const ServerOrder& order);
  void Take(ServerReply&& reply);
  void Control(ServerOrder order, core::ControlCallback done);
  // Sends an order and blocks for the answer.
  ServerReply Ask(ServerOrder order);

  base::Mutex sending_;
  ControlSocket socket_;
  base::Mutex mutex_;
  uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, Answer> expected_ GUARDED_BY(mutex_);
};

}  // namespace inferd::worker
