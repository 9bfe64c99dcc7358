#include "protocols/oip_grpc/control_methods.h"

#include <string>
#include <string_view>
#include <utility>

#include "net/grpc/generated_message.h"
#include "protocols/call/ask_model_ready.h"
#include "protocols/call/tracing.h"
#include "protocols/oip_grpc/call.h"
#include "protocols/oip_grpc/codec/control_messages.h"
#include "protocols/oip_grpc/codec/model_messages.h"
#include "protocols/oip_grpc/region_methods.h"
#include "protocols/oip_grpc/service_path.h"
#include "protocols/rpc/control_method.h"
#include "protocols/v2/carried_types.h"
#include "protocols/v2/extensions.h"
#include "protocols/v2/statistics.h"
#include "serving/core/catalog_snapshot.h"
#include "serving/core/model/refused_load.h"

namespace inferd::oip_grpc {

namespace {

using Shared = std::shared_ptr<const Environment>;
using net::grpc::CallContext;
using net::grpc::Method;
using net::grpc::Responder;

base::Result<inference::ServerLiveResponse> ServerLive(const Environment& environment,
                                                       const inference::ServerLiveRequest&) {
  inference::ServerLiveResponse response;
  response.set_live(environment.catalog.ServerLive());
  return response;
}

base::Result<inference::ServerReadyResponse> ServerReady(const Environment& environment,
                                                         const inference::ServerReadyRequest&) {
  inference::ServerReadyResponse response;
  response.set_ready(environment.catalog.ServerReady());
  return response;
}

// A known model that is not ready is no error (Predict V2, "Model Ready"). An unknown one is, except in Triton, where
// only a version that is no number is.
Method ModelReady(const Shared& environment) {
  Method method{.path = PathOf("ModelReady")};
  method.unary = [environment](const CallContext& context, const base::BufferSlice& message, Responder responder) {
    Call call(environment, context, std::move(responder));
    const auto request = net::grpc::Decode<inference::ModelReadyRequest>(message);
    if (!request.has_value()) return call.Finish(request.error());
    call.SetModel(request->name(), request->version());
    net::Loop& loop = call.loop();
    const bool exact = environment->options.triton_exact &&
                       (request->version().empty() || core::ParseVersion(request->version()) >= 0);
    call::AskModelReady(environment->catalog, loop, request->name(), request->version(), std::move(call),
                        [exact](Call asked, const base::Status& readiness) {
                          if (readiness.code() == base::StatusCode::kNotFound && !exact) {
                            return asked.Finish(readiness);
                          }
                          inference::ModelReadyResponse response;
                          response.set_ready(readiness.ok());
                          asked.Answer(net::grpc::Encode(response));
                        });
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

base::Result<inference::ServerMetadataResponse> ServerMetadata(const Environment& environment,
                                                               const inference::ServerMetadataRequest&) {
  inference::ServerMetadataResponse response;
  response.set_name(environment.options.server_name);
  response.set_version(environment.options.server_version);
  const auto extensions =
      environment.options.triton_exact ? v2::TritonExtensions() : v2::Extensions(environment.regions != nullptr);
  for (const std::string_view extension : extensions) response.add_extensions(std::string(extension));
  return response;
}

template <typename Request>
std::pair<std::string, std::string> Meant(const Environment&, const Request& request) {
  return {request.name(), request.version()};
}

base::Result<inference::ModelMetadataResponse> ModelMetadata(const Environment& environment,
                                                             const inference::ModelMetadataRequest& request) {
  INFERD_ASSIGN_OR_RETURN(const auto metadata,
                          v2::CarriedMetadata(environment.catalog, request.name(), request.version()));
  return ModelMetadataMessage(metadata);
}

base::Result<inference::ModelConfigResponse> ModelConfig(const Environment& environment,
                                                         const inference::ModelConfigRequest& request) {
  INFERD_ASSIGN_OR_RETURN(const auto json, environment.catalog.ConfigJson(request.name(), request.version()));
  return ModelConfigMessage(json);
}

base::Result<inference::ModelStatisticsResponse> ModelStatistics(const Environment& environment,
                                                                 const inference::ModelStatisticsRequest& request) {
  INFERD_ASSIGN_OR_RETURN(const auto statistics, v2::StatisticsOf(environment.catalog, request.name(),
                                                                  request.version(), environment.options.triton_exact));
  return StatisticsMessage(statistics);
}

template <typename Request>
base::Status CheckRepository(const Environment& environment, const Request& request) {
  if (!environment.options.triton_exact || request.repository_name().empty()) return base::OkStatus();
  return base::Unimplemented(std::string(v2::kNoRepositoryNames));
}

base::Result<inference::RepositoryIndexResponse> RepositoryIndex(const Environment& environment,
                                                                 const inference::RepositoryIndexRequest& request) {
  INFERD_RETURN_IF_ERROR(CheckRepository(environment, request));
  INFERD_ASSIGN_OR_RETURN(const auto entries, environment.catalog.Index(request.repository_name(), request.ready()));
  return IndexMessage(entries);
}

base::Result<inference::LogSettingsResponse> LogSettings(const Environment& environment,
                                                         const inference::LogSettingsRequest& request) {
  INFERD_ASSIGN_OR_RETURN(const auto settings, ReadLogSettings(request));
  INFERD_RETURN_IF_ERROR(v2::ApplyLogSettings(settings, environment.logger));
  return LogSettingsMessage(environment.logger);
}

base::Result<inference::TraceSettingResponse> TraceSetting(const Environment& environment,
                                                           const inference::TraceSettingRequest& request) {
  INFERD_ASSIGN_OR_RETURN(core::Tracing* const tracing, call::TracingOf(environment.dispatcher, request.model_name(),
                                                                        environment.options.triton_exact));
  INFERD_RETURN_IF_ERROR(tracing->Change(request.model_name(), ReadTraceSettings(request)));
  return TraceSettingsMessage(tracing->InForce(request.model_name()));
}

// The call may contain files of any size: they are decoded on the pool.
Method RepositoryModelLoad(const Shared& environment) {
  Method method{.path = PathOf("RepositoryModelLoad")};
  method.unary = [environment](CallContext context, base::BufferSlice message, Responder responder) {
    auto brought = environment->access.CheckBrought(access::Group::kModelRepository, context.head);
    Call call(environment, context, std::move(responder));
    environment->pool.Post(
        [environment, call = std::move(call), message = std::move(message), brought = std::move(brought)]() mutable {
          auto request = net::grpc::Decode<inference::RepositoryModelLoadRequest>(message);
          message = {};
          if (!request.has_value()) return rpc::AnswerWhenDone(std::move(call))(std::move(request).error());
          call.SetModel(request->model_name(), "");
          if (base::Status named = CheckRepository(*environment, *request); !named.ok()) {
            return rpc::AnswerWhenDone(std::move(call))(std::move(named));
          }
          const std::string model = request->model_name();
          auto load = ReadLoadRequest(*std::move(request));
          if (!load.has_value()) {
            core::LogRefusedLoad(environment->logger, model, load.error());
            return rpc::AnswerWhenDone(std::move(call))(std::move(load).error());
          }
          if (load->brings()) {
            if (!brought.status.ok()) return rpc::AnswerWhenDone(std::move(call))(std::move(brought.status));
            load->may_run_code = brought.may_run_code;
          }
          environment->catalog.Load(*std::move(load), rpc::AnswerWhenDone(std::move(call)));
        });
  };
  return method;
}

Method RepositoryModelUnload(const Shared& environment) {
  Method method{.path = PathOf("RepositoryModelUnload")};
  method.unary = [environment](CallContext context, base::BufferSlice message, Responder responder) {
    Call call(environment, context, std::move(responder));
    const auto request = net::grpc::Decode<inference::RepositoryModelUnloadRequest>(message);
    if (!request.has_value()) return call.Finish(request.error());
    call.SetModel(request->model_name(), "");
    if (const base::Status named = CheckRepository(*environment, *request); !named.ok()) return call.Finish(named);
    auto unload = ReadUnloadRequest(*request);
    if (!unload.has_value()) return call.Finish(unload.error());
    environment->catalog.Unload(*std::move(unload), rpc::AnswerWhenDone(std::move(call)));
  };
  method.message_bytes_max = environment->options.control_bytes_max;
  return method;
}

}  // namespace

void AddControlMethods(const Shared& environment, std::vector<Method>& methods) {
  methods.push_back(rpc::AtOnce(environment, PathOf("ServerLive"), ServerLive));
  methods.push_back(rpc::AtOnce(environment, PathOf("ServerReady"), ServerReady));
  methods.push_back(ModelReady(environment));
  methods.push_back(rpc::AtOnce(environment, PathOf("ServerMetadata"), ServerMetadata));
  methods.push_back(
      rpc::OnceLoaded(environment, PathOf("ModelMetadata"), ModelMetadata, Meant<inference::ModelMetadataRequest>));
  methods.push_back(
      rpc::OnceLoaded(environment, PathOf("ModelConfig"), ModelConfig, Meant<inference::ModelConfigRequest>));
  methods.push_back(rpc::AtOnce(environment, PathOf("ModelStatistics"), ModelStatistics));
  methods.push_back(rpc::AtOnce(environment, PathOf("RepositoryIndex"), RepositoryIndex));
  methods.push_back(RepositoryModelLoad(environment));
  methods.push_back(RepositoryModelUnload(environment));
  methods.push_back(rpc::AtOnce(environment, PathOf("LogSettings"), LogSettings));
  AddRegionMethods(environment, methods);
  methods.push_back(rpc::AtOnce(environment, PathOf("TraceSetting"), TraceSetting));
}

}  // namespace inferd::oip_grpc
