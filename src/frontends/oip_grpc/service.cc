#include "frontends/oip_grpc/service.h"

#include <google/protobuf/stubs/logging.h>

#include <memory>
#include <utility>

#include "frontends/oip_grpc/call.h"
#include "frontends/oip_grpc/codec/infer_request_reader.h"
#include "frontends/oip_grpc/control_methods.h"
#include "frontends/oip_grpc/infer_call.h"
#include "frontends/oip_grpc/infer_stream.h"
#include "frontends/oip_grpc/service_path.h"

namespace inferd::oip_grpc {

using net::grpc::CallContext;
using net::grpc::Method;
using net::grpc::Responder;

namespace {

Method ModelInfer(const std::shared_ptr<const Environment>& environment) {
  Method method{.path = PathOf("ModelInfer")};
  method.unary = [environment](CallContext&& context, base::BufferSlice message, Responder responder) {
    rpc::InferCall::Start(std::make_unique<InferCall>(environment, std::move(context), std::move(responder)),
                          std::move(message));
  };
  method.align_at = TensorBytesAt;
  return method;
}

Method ModelStreamInfer(const std::shared_ptr<const Environment>& environment) {
  const auto set = std::make_shared<StreamSet>();
  Method method{.path = PathOf("ModelStreamInfer")};
  method.streaming = [environment, set](CallContext&& context, Responder responder) {
    return std::make_unique<InferStream>(environment, set, std::move(context), std::move(responder));
  };
  method.on_drain = [set] {
    for (InferStream* stream : set->streams) stream->Drain();
  };
  method.align_at = TensorBytesAt;
  return method;
}

}  // namespace

std::vector<Method> Methods(Environment environment) {
  // What is wrong with a client's message is told to the client, not to stderr.
  [[maybe_unused]] static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  const auto shared = std::make_shared<const Environment>(environment);
  std::vector<Method> methods;
  methods.push_back(ModelInfer(shared));
  methods.push_back(ModelStreamInfer(shared));
  AddControlMethods(shared, methods);
  return methods;
}

}  // namespace inferd::oip_grpc
