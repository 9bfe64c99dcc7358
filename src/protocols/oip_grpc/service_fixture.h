#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/grpc/fake_call.h"
#include "oip/grpc_service.pb.h"
#include "protocols/oip_grpc/service.h"
#include "serving/core/fake_catalog.h"
#include "serving/core/fake_dispatcher.h"

// The service over the real gRPC layer, with a transport and models that are driven by hand. Single-threaded.

namespace inferd::oip_grpc {

struct TestService {
  using Fields = net::grpc::FakeCall::Fields;

  explicit TestService(std::unique_ptr<base::Logger> own_logger = base::Logger::Silent())
      : logger(std::move(own_logger)) {
    dispatcher.models["m"] = std::make_shared<core::FakePinned>();
    Serve();
  }
  // Serves again, for options that take effect when the methods are made.
  void Serve() {
    server.Serve(Methods({.options = options,
                          .access = access,
                          .dispatcher = dispatcher,
                          .catalog = catalog,
                          .pool = server.pool,
                          .logger = *logger,
                          .clock = server.clock}));
  }
  // Calls' closures hold the server's parts.
  ~TestService() { Settle(); }

  std::unique_ptr<net::grpc::FakeCall> Open(std::string_view method, Fields fields = {}) {
    return std::make_unique<net::grpc::FakeCall>(server, "/inference.GRPCInferenceService/" + std::string(method),
                                                 std::move(fields));
  }
  void Settle() {
    do {
      server.pool.Run();
      server.loop.RunPosted();
    } while (server.pool.waiting() > 0);
  }
  // Makes a complete unary call.
  std::unique_ptr<net::grpc::FakeCall> Ask(std::string_view method, std::string_view message, Fields fields = {}) {
    auto call = Open(method, std::move(fields));
    call->Unary(message);
    Settle();
    return call;
  }
  std::unique_ptr<net::grpc::FakeCall> Ask(std::string_view method, const google::protobuf::Message& message,
                                           Fields fields = {}) {
    return Ask(method, message.SerializeAsString(), std::move(fields));
  }

  Options options;
  access::Policy access;
  core::FakeDispatcher dispatcher;
  core::FakeCatalog catalog;
  std::unique_ptr<base::Logger> logger;
  net::grpc::FakeServer server;
};

// Returns "0", or "3: message".
inline std::string StatusOf(const net::grpc::FakeCall& call) {
  return call.message().empty() ? call.status() : call.status() + ": " + call.message();
}

// Returns the call's `index`th response.
template <typename Response>
Response ResponseOf(const net::grpc::FakeCall& call, size_t index = 0) {
  Response response;
  const auto messages = call.Messages();
  if (index >= messages.size() || !response.ParseFromString(messages[index].substr(2))) response.Clear();
  return response;
}

// A request with two INT32 elements, raw.
inline inference::ModelInferRequest InferRequest(std::string_view id = "7") {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_id(std::string(id));
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("INT32");
  input.add_shape(2);
  request.add_raw_input_contents(std::string("\1\0\0\0\xfe\xff\xff\xff", 8));
  return request;
}

// The same request, typed.
inline inference::ModelInferRequest TypedInferRequest(std::string_view id = "7") {
  inference::ModelInferRequest request = InferRequest(id);
  request.clear_raw_input_contents();
  request.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  request.mutable_inputs(0)->mutable_contents()->add_int_contents(-2);
  return request;
}

}  // namespace inferd::oip_grpc
