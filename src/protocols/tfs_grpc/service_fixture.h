#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metrics/registry.h"
#include "net/grpc/fake_call.h"
#include "protocols/tfs/fake_request_log.h"
#include "protocols/tfs_grpc/service.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"
#include "tfs/prediction_service.pb.h"

// The services over the real gRPC layer, with a transport and models that are driven by hand. Single-threaded.

namespace inferd::tfs_grpc {

// Returns a model that echoes its input: two INT32 elements per row.
inline std::shared_ptr<core::FakePinned> EchoModel() {
  auto pinned = std::make_shared<core::FakePinned>();
  pinned->signature_.inputs = {{.name = "x", .datatype = tensor::DataType::kInt32, .shape = {-1, 2}}};
  pinned->signature_.outputs = {{.name = "x", .datatype = tensor::DataType::kInt32, .shape = {-1, 2}}};
  return pinned;
}

struct TestService {
  using Fields = net::grpc::FakeCall::Fields;

  TestService() {
    dispatcher.models["m"] = EchoModel();
    server.Serve(Methods({.options = options,
                          .dispatcher = dispatcher,
                          .catalog = catalog,
                          .pool = server.pool,
                          .logger = *logger,
                          .clock = server.clock,
                          .metrics = std::make_unique<tfs::RequestMetrics>(registry, "GRPC"),
                          .request_log = &request_log,
                          .reload =
                              [this](std::string_view config, core::ControlCallback done) {
                                reloaded = config;
                                if (on_reload) on_reload();
                                done(reload_outcome);
                              },
                          .counter_total = [this](std::string_view name) { return registry.CounterTotal(name); }}));
  }
  // Calls' closures hold the server's parts.
  ~TestService() { Settle(); }

  void Settle() {
    do {
      server.pool.Run();
      server.loop.RunPosted();
    } while (server.pool.waiting() > 0);
  }
  std::unique_ptr<net::grpc::FakeCall> Open(std::string_view method, Fields fields = {}) {
    const std::string service = method == "GetModelStatus" || method == "HandleReloadConfigRequest" ? "ModelService"
                                : method == "SessionRun"                                            ? "SessionService"
                                                         : "PredictionService";
    return std::make_unique<net::grpc::FakeCall>(server, "/tensorflow.serving." + service + "/" + std::string(method),
                                                 std::move(fields));
  }
  // Makes a complete unary call.
  std::unique_ptr<net::grpc::FakeCall> Ask(std::string_view method, const google::protobuf::Message& message,
                                           Fields fields = {}) {
    auto call = Open(method, std::move(fields));
    call->Unary(message.SerializeAsString());
    Settle();
    return call;
  }

  Options options;
  std::string reloaded;  // the configuration of the last reload
  std::function<void()> on_reload;
  base::Status reload_outcome;
  core::FakeDispatcher dispatcher;
  core::FakeCatalog catalog;
  metrics::Registry registry;
  tfs::FakeRequestLog request_log;
  std::unique_ptr<base::Logger> logger = base::Logger::Silent();
  net::grpc::FakeServer server;
};

// Returns "0", or "3: message".
inline std::string StatusOf(const net::grpc::FakeCall& call) {
  return call.message().empty() ? call.status() : call.status() + ": " + call.message();
}

// Returns the call's only response.
template <typename Response>
Response ResponseOf(const net::grpc::FakeCall& call) {
  Response response;
  const auto messages = call.Messages();
  if (messages.size() != 1 || !response.ParseFromString(messages[0].substr(2))) response.Clear();
  return response;
}

// A request with one row for the echo model.
inline tensorflow::serving::PredictRequest PredictRequest() {
  tensorflow::serving::PredictRequest request;
  request.mutable_model_spec()->set_name("m");
  tensorflow::TensorProto& tensor = (*request.mutable_inputs())["x"];
  tensor.set_dtype(tensorflow::DT_INT32);
  tensor.mutable_tensor_shape()->add_dim()->set_size(1);
  tensor.mutable_tensor_shape()->add_dim()->set_size(2);
  tensor.add_int_val(1);
  tensor.add_int_val(-2);
  return request;
}

}  // namespace inferd::tfs_grpc
