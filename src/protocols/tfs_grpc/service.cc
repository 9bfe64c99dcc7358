#include "protocols/tfs_grpc/service.h"

#include <string>
#include <string_view>
#include <utility>

#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/model_methods.h"
#include "protocols/tfs_grpc/predict_call.h"
#include "protocols/tfs_grpc/result_call.h"
#include "protocols/tfs_grpc/service_path.h"
#include "protocols/tfs_grpc/session_call.h"
#include "tfs/session_service.pb.h"

namespace inferd::tfs_grpc {

namespace {

using Shared = std::shared_ptr<const Environment>;
using net::grpc::CallContext;
using net::grpc::Method;
using net::grpc::Responder;

template <typename Call>
Method Inference(const Shared& environment, tfs::Api api) {
  const std::string_view name = tfs::ApiName(api);
  Method method{.path = api == tfs::Api::kSessionRun ? SessionPath(name) : PredictionPath(name)};
  method.unary = [environment, api](CallContext&& context, base::BufferSlice message, Responder responder) {
    rpc::InferCall::Start(std::make_unique<Call>(environment, api, std::move(context), std::move(responder)),
                          std::move(message));
  };
  return method;
}

}  // namespace

std::vector<Method> Methods(Environment environment) {
  // Reflection shows linked messages, and the linker keeps named ones.
  [[maybe_unused]] static const auto* const session = tensorflow::serving::SessionRunRequest::descriptor();
  const auto shared = std::make_shared<const Environment>(std::move(environment));
  std::vector<Method> methods;
  methods.push_back(Inference<PredictCall>(shared, tfs::Api::kPredict));
  methods.back().align_at = TensorBytesAt;
  for (const tfs::Api api : {tfs::Api::kClassify, tfs::Api::kRegress, tfs::Api::kMultiInference}) {
    methods.push_back(Inference<ResultCall>(shared, api));
  }
  AddModelMethods(shared, methods);
  methods.push_back(Inference<SessionCall>(shared, tfs::Api::kSessionRun));
  methods.back().align_at = TensorBytesAt;
  return methods;
}

}  // namespace inferd::tfs_grpc
